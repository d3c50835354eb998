"""Export models: ONNX graphs, and FAISS indices over very many classes."""

from unseen.files.export.class_index import ClassIndex, Nearest
from unseen.files.export.onnx import export_onnx

__all__ = ["ClassIndex", "Nearest", "export_onnx"]
