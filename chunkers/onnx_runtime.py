"""onnxruntime, imported so that it keeps to itself: its wheels report to their maker unless told not to."""

import os
from types import ModuleType


def import_onnxruntime() -> ModuleType:
    """Import onnxruntime with its telemetry off; the variable counts before its first import only.

    Its Privacy.md: with the variable no uploader, event or device identifier is made for the life of the
    process; the call alone would come after an event that tells of the start.
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    module: ModuleType = onnxruntime
    return module
