"""The commands of ``capsa eval``, one module each with ``attach(parser)`` and ``run(args) -> int``."""
