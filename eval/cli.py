"""``capsa eval``: measure retrieval against questions with evidence; finds the command and runs it."""

import argparse
from importlib import import_module
from typing import NamedTuple


class Command(NamedTuple):
    """A command: the module that does it has ``attach(parser)`` and ``run(args) -> int``."""

    name: str
    module: str
    help: str


# The order is that of the help. To add one: a module in commands/ and a line here.
COMMANDS = (
    Command("run", "capsa.eval.commands.run", "one configuration over one question file"),
    Command("heldout", "capsa.eval.commands.heldout", "the shipped held-out questions beside the others"),
    Command("grid", "capsa.eval.commands.grid", "parser x chunker x retriever x model, into a folder"),
    Command("structure", "capsa.eval.structure", "what the parsers find in documents, against labels"),
    Command(
        "strategies", "capsa.eval.commands.strategies", "the six strategies: recall, size, cost, failures"
    ),
    Command("audit", "capsa.eval.commands.audit", "the share of evidence that parsing and chunking keep"),
    Command("sweep", "capsa.eval.commands.sweep", "chunk size x overlap on the recursive chunker"),
    Command("dims", "capsa.eval.commands.dims", "vectors of fewer dimensions"),
    Command("codes", "capsa.eval.commands.codes", "vectors in fewer bytes: what each code loses"),
    Command("stats", "capsa.eval.commands.stats", "mixed-effects models, intervals and tests over runs"),
    Command("pareto", "capsa.eval.commands.pareto", "bytes and latency against recall over runs"),
    Command("report", "capsa.eval.commands.report", "runs as one HTML page with tables and figures"),
    Command("mine", "capsa.eval.commands.mine", "how well your own index finds, without labels"),
    Command("check", "capsa.eval.commands.check", "what is wrong with a question file"),
    Command("scale", "capsa.eval.commands.scale", "what an index costs as it grows, to a million chunks"),
    Command("speed", "capsa.eval.speed", "how fast and how small capsa is on this machine"),
)


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the evaluation's commands and their options."""
    commands = parser.add_subparsers(dest="eval_command", required=True, metavar="COMMAND")
    for command in COMMANDS:
        description = f"{command.help[0].upper()}{command.help[1:]}."
        sub = commands.add_parser(command.name, help=command.help, description=description)
        import_module(command.module).attach(sub)


def run(args: argparse.Namespace) -> int:
    """Run the chosen evaluation and return the exit code."""
    chosen = next(command for command in COMMANDS if command.name == args.eval_command)
    return int(import_module(chosen.module).run(args))
