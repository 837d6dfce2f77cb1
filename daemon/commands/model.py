"""``capsa model``: list, choose or add embedding models."""

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from capsa.store.models import Model, add_model, current_name, list_models, use_model
from capsa.store.registry import KNOWN, Settings, read_settings

from ..printing import print_json, print_lines
from ..terminal import safe


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    listing = actions.add_parser("list", help="list the models (also without an action)")
    for place in (parser, listing):
        place.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="capsa.models/1")
    use = actions.add_parser("use", help="embed with this model from now on")
    use.add_argument("name", metavar="NAME")
    _attach_add(
        actions.add_parser("add", help="copy a folder with model.onnx and tokenizer.json into the home")
    )


def run(args: argparse.Namespace) -> int:
    """Do the action; listing is the default."""
    action = {"add": _add, "use": _use}.get(args.action, _list)
    return action(args)


def _attach_add(add: argparse.ArgumentParser) -> None:
    add.add_argument("folder", metavar="FOLDER", type=Path)
    add.add_argument("--name", help=f"default: the folder's name; known: {', '.join(KNOWN)}")
    add.add_argument("--pooling", choices=("mean", "cls"), help="how token vectors become one vector")
    add.add_argument("--window", type=int, metavar="TOKENS", help="what the model reads at once")
    add.add_argument("--query-prefix", metavar="TEXT", help="put before every query")
    add.add_argument("--passage-prefix", metavar="TEXT", help="put before every passage")


def _list(args: argparse.Namespace) -> int:
    models, current = list_models(args.home), current_name(args.home)
    if getattr(args, "json", False):
        listed = [_record(model, current) for model in models]
        print_json({"schema": "capsa.models/1", "models": listed})
    else:
        print_lines(_lines(models, current))
    return 0


def _use(args: argparse.Namespace) -> int:
    before = current_name(args.home)
    model = use_model(args.home, args.name)
    changed = "" if model.name == before else "; `capsa index` embeds the documents anew"
    print_lines([f"using {model.name}{changed}"])
    return 0


def _add(args: argparse.Namespace) -> int:
    folder = args.folder.expanduser().resolve()
    name = args.name or folder.name
    model = add_model(args.home, folder, name, _settings(args, name, folder))
    print_lines([f"added {_describe(model)}; `capsa model use {model.name}` chooses it"])
    return 0


def _settings(args: argparse.Namespace, name: str, folder: Path) -> Settings:
    options = ("pooling", "window", "query_prefix", "passage_prefix")
    given = {option: getattr(args, option) for option in options if getattr(args, option) is not None}
    return replace(read_settings(name, folder), **given)


def _lines(models: tuple[Model, ...], current: str) -> Iterator[str]:
    for model in models:
        yield f"{'*' if model.name == current else ' '} {_describe(model)}"


def _describe(model: Model) -> str:
    return (
        f"{safe(model.name)} ({model.dimension} dimensions, {model.window} tokens, {model.pooling} pooling)"
    )


def _record(model: Model, current: str) -> dict[str, object]:
    return {
        "name": model.name,
        "current": model.name == current,
        "shipped": model.shipped,
        "dimension": model.dimension,
        "window": model.window,
        "pooling": model.pooling,
        "query_prefix": model.query_prefix,
        "passage_prefix": model.passage_prefix,
        "sha256": model.sha256,
    }
