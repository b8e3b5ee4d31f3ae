"""Part of the stand-in for SGLang's missing CPU kernels (see sgl_kernel/__init__.py): Python runs this file at the
start of every process that has this folder on its path.

The registry's torchvision is built for CUDA. Beside a CPU build of torch its import fails, since it describes two
operators that nothing has defined. They are defined here, just before torchvision is imported; nothing calls them.
"""

from __future__ import annotations

import sys
from importlib.abc import MetaPathFinder
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

BOXES = "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"


class BeforeTorchvision(MetaPathFinder):
    """Finds nothing itself: it only notices that torchvision is wanted."""

    def find_spec(
        self,
        fullname: str,
        _path: Sequence[str] | None,
        _target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        if fullname == "torchvision":
            sys.meta_path.remove(self)
            from torch import library

            library.define("torchvision::nms", BOXES)
            library.define("torchvision::qnms", BOXES)
        return None


sys.meta_path.insert(0, BeforeTorchvision())
