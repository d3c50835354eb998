"""Class tables as people keep them: spreadsheets and text files of many habits."""

from unseen.data.class_files.read import ReadClasses, read_class_table

__all__ = ["ReadClasses", "read_class_table"]
