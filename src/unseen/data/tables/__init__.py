"""Read class descriptions from CSV files, data frames, mappings and texts."""
