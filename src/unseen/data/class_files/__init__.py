"""Class tables as people keep them: spreadsheets and text files of many habits."""

from unseen.data.class_files.read import ClassTableWarning, ReadClasses, read_and_warn, read_class_table

__all__ = ["ClassTableWarning", "ReadClasses", "read_and_warn", "read_class_table"]
