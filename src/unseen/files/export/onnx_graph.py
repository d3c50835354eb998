"""Build an ONNX graph step by step."""

from typing import Any

import numpy as np

from unseen.utils.arrays import to_numpy

OPSET, IR_VERSION = 18, 9


class Graph:
    """Collect nodes and constants, each under a unique name."""

    def __init__(self, onnx: Any) -> None:
        self._onnx, self._nodes, self._constants = onnx, list[Any](), list[Any]()

    def add_node(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Add an operation; return the name of its result."""
        name = f"{operator.lower()}_{len(self._nodes)}"
        self._nodes.append(self._onnx.helper.make_node(operator, inputs, [name], **attributes))
        return name

    def add_constant(self, value: Any, kind: type = np.float64) -> str:
        """Add a constant; return its name."""
        name = f"constant_{len(self._constants)}"
        array = np.ascontiguousarray(to_numpy(value), dtype=kind).reshape(np.shape(value))
        self._constants.append(self._onnx.numpy_helper.from_array(array, name))
        return name

    def add_optional_input(self, name: str, default: Any) -> str:
        """Add the value that an input in single precision has where the caller gives none; return its name."""
        self._constants.append(self._onnx.numpy_helper.from_array(np.asarray(default, dtype=np.float32), name))
        return name

    def cast_to_double(self, name: str) -> str:
        """Cast an input to double precision; return the name of the result."""
        return self.add_node("Cast", name, to=self._onnx.TensorProto.DOUBLE)

    def reduce_columns(self, operator: str, name: str, keepdims: int = 1) -> str:
        """Reduce each row to one number; return the name of the result."""
        return self.add_node(operator, name, self.add_constant([1], np.int64), keepdims=keepdims)

    def divide(self, rows: str, lengths: str, smallest: float = 0.0) -> str:
        """Divide rows by their lengths; rows of about zero length stay unchanged."""
        usable = self.add_node("Greater", lengths, self.add_constant(smallest))
        return self.add_node("Div", rows, self.add_node("Where", usable, lengths, self.add_constant(1.0)))

    def make_model(self, inputs: dict[str, list[Any]], outputs: dict[str, str], kind: str) -> Any:
        """Return the finished graph as a checked ONNX model, given the shapes of inputs and the names of results."""
        helper, single = self._onnx.helper, self._onnx.TensorProto.FLOAT
        last = [helper.make_node("Cast", [name], [output], to=single) for output, name in outputs.items()]
        graph = helper.make_graph(
            [*self._nodes, *last],
            f"unseen {kind}",
            [helper.make_tensor_value_info(name, single, shape) for name, shape in inputs.items()],
            [helper.make_tensor_value_info(output, single, ["n", "m"]) for output in outputs],
            self._constants,
        )
        opsets = [helper.make_opsetid("", OPSET)]
        made = helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="unseen")
        self._onnx.checker.check_model(made)
        return made
