"""Class descriptions as people write them: CSV files, data frames, mappings, texts, labels and names."""
