"""The one decision about every path: by table, and the same from a walk and for a single path."""

import os
from pathlib import Path

import pytest

from capsa.daemon.excludes import Excludes
from capsa.daemon.settings import Settings
from capsa.daemon.walk import Found, Limits, Skip, walk

LIMITS = Limits(max_file_bytes=1 << 20)

# Path below the source -> the reason it is left out by default, or None.
TABLE = [
    (".ssh/id_rsa", "secret"),
    (".ssh/config", "secret"),
    (".gnupg/pubring.kbx", "secret"),
    (".pki/nssdb/cert9.db", "secret"),
    (".aws/credentials", "secret"),
    (".kube/config", "secret"),
    (".azure/accessTokens.json", "secret"),
    (".docker/config.json", "secret"),
    (".password-store/mail.gpg", "secret"),
    (".mozilla/firefox/abc.default/places.sqlite", "secret"),
    (".thunderbird/abc.default/prefs.js", "secret"),
    (".config/google-chrome/Default/History", "hidden"),
    (".config/chromium/Default/Bookmarks", "hidden"),
    (".config/gh/hosts.yml", "hidden"),
    ("Library/Keychains/login.keychain-db", "secret"),
    ("Library/Application Support/Firefox/Profiles/x/prefs.js", "secret"),
    ("Library/Application Support/Google/Chrome/Default/History", "secret"),
    ("AppData/Local/Google/Chrome/User Data/Default/History", "secret"),
    (".local/share/keyrings/login.keyring", "hidden"),
    ("share/keyrings/login.keyring", "secret"),
    (".netrc", "secret"),
    (".pgpass", "secret"),
    (".npmrc", "secret"),
    (".git-credentials", "secret"),
    (".env", "secret"),
    (".env.local", "secret"),
    (".envrc", "secret"),
    ("project/.env.production", "secret"),
    ("server.pem", "secret"),
    ("SERVER.PEM", "secret"),
    ("private.key", "secret"),
    ("vault.kdbx", "secret"),
    ("store.p12", "secret"),
    ("id_rsa", "secret"),
    ("id_ed25519", "secret"),
    ("backup/id_rsa.old", "secret"),
    ("id_rsa.pub", "secret"),
    ("profile/key4.db", "secret"),
    ("profile/readme.txt", "secret"),
    (".bash_history", "secret"),
    ("terraform.tfstate", "secret"),
    ("Mill_files/a.html", "part-of-page"),
    ("Quay_files/a.html", None),
    ("archive/1795856400.1/output.html", "part-of-page"),
    ("archive/1795856400.1/index.json", None),
    ("archive/12345/output.html", None),
    (".git/HEAD", "vcs"),
    (".hg/store/x", "vcs"),
    (".svn/entries", "vcs"),
    ("sub/CVS/Root", "vcs"),
    ("node_modules/left-pad/README.md", "dependencies"),
    ("web/bower_components/x.md", "dependencies"),
    ("lib/python3/site-packages/x.py", "dependencies"),
    (".cache/thing.txt", "cache"),
    ("pkg/__pycache__/x.txt", "cache"),
    ("tagged/notes.txt", "cache"),
    ("$RECYCLE.BIN/x.txt", "cache"),
    (".Trash-1000/files/x.txt", "cache"),
    (".venv/lib/x.py", "environment"),
    ("myenv/lib/x.py", "environment"),
    (".tox/py311/x.txt", "environment"),
    ("rust/target/debug/x.txt", "build"),
    ("py/build/lib/x.py", "build"),
    ("py/dist/x.txt", "build"),
    ("py/thing.egg-info/SOURCES.txt", "build"),
    ("web/.next/server/x.html", "build"),
    ("cpp/cmake-build-debug/x.txt", "build"),
    ("draft.txt~", "temporary"),
    ("~$letter.docx", "temporary"),
    ("film.part", "temporary"),
    ("page.html.crdownload", "temporary"),
    (".notes.txt.swp", "temporary"),
    (".hidden/notes.txt", "hidden"),
    (".hidden.txt", "hidden"),
    ("media/notes.txt", "ignored"),
    ("notes.txt", None),
    ("build/plan.txt", None),
    ("target/goals.md", None),
    ("keyboard.txt", None),
    ("environment.txt", None),
    ("monkey.md", None),
    ("id_card.txt", None),
    ("cache.txt", None),
    ("Chrome/notes.txt", None),
    ("git/readme.md", None),
]
BESIDE = {
    "profile/key4.db": "",
    "tagged/CACHEDIR.TAG": "",
    "myenv/pyvenv.cfg": "",
    "rust/Cargo.toml": "",
    "py/pyproject.toml": "",
    "media/.nomedia": "",
    "Mill.html": "",
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tree")
    for name in [*BESIDE, *(name for name, _ in TABLE)]:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("text")
    return root


def excludes(settings: Settings | None = None, home: Path = Path("/nowhere")) -> Excludes:
    return Excludes(settings or Settings(), os.fsencode(home))


def walked(root: Path, rules: Excludes) -> dict[str, str | None]:
    items = walk(os.fsencode(root), rules, LIMITS)
    return {
        os.fsdecode(os.path.relpath(item.path, os.fsencode(root))): getattr(item, "reason", None)
        for item in items
    }


@pytest.mark.parametrize(("name", "reason"), TABLE)
def test_default_reason(tree: Path, name: str, reason: str | None) -> None:
    assert excludes().reason(os.fsencode(tree), os.fsencode(tree / name)) == reason


def test_walk_and_single_path_agree(tree: Path) -> None:
    rules = excludes()
    seen = walked(tree, rules)
    for name, reason in TABLE:
        parts = Path(name).parts
        prefixes = ["/".join(parts[: end + 1]) for end in range(len(parts))]
        told = [seen[prefix] for prefix in prefixes if prefix in seen]
        assert told == [reason], name


def test_hidden_can_be_wanted_but_secrets_cannot(tree: Path) -> None:
    rules = excludes(Settings(hidden=True, excludes=("!.ssh", "!*.pem", "!.env")))
    root = os.fsencode(tree)
    assert rules.reason(root, os.fsencode(tree / ".hidden/notes.txt")) is None
    secrets = (
        ".ssh/config",
        "server.pem",
        ".env",
        ".config/google-chrome/Default/History",
        ".config/chromium/Default/Bookmarks",
        ".config/gh/hosts.yml",
        ".local/share/keyrings/login.keyring",
    )
    assert {rules.reason(root, os.fsencode(tree / name)) for name in secrets} == {"secret"}


def test_capsaignore_brings_back_what_is_left_out_by_default(tmp_path: Path) -> None:
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "a.md").write_text("a")
    (tmp_path / "draft.md").write_text("b")
    (tmp_path / ".capsaignore").write_text("!node_modules\ndraft.*\n")
    seen = walked(tmp_path, excludes())
    assert seen["node_modules/a.md"] is None
    assert seen["draft.md"] == "ignored"


def test_gitignore_cannot_bring_back_dependencies(tmp_path: Path) -> None:
    (tmp_path / "node_modules").mkdir()
    (tmp_path / ".gitignore").write_text("!node_modules\n!.ssh\n")
    assert walked(tmp_path, excludes())["node_modules"] == "dependencies"


def test_nearer_ignore_file_wins(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / ".gitignore").write_text("*.log\n/only-here.txt\n")
    (tmp_path / "a" / ".gitignore").write_text("!keep.log\n")
    for name in ("x.log", "a/keep.log", "a/x.log", "only-here.txt", "a/only-here.txt"):
        (tmp_path / name).write_text("x")
    seen = walked(tmp_path, excludes())
    assert seen["x.log"] == seen["a/x.log"] == seen["only-here.txt"] == "ignored"
    assert seen["a/keep.log"] is None
    assert seen["a/only-here.txt"] is None


def test_ignore_files_above_the_source_in_its_repository(tmp_path: Path) -> None:
    (tmp_path / "repo" / ".git" / "info").mkdir(parents=True)
    (tmp_path / "repo" / ".git" / "info" / "exclude").write_text("private.txt\n")
    (tmp_path / "repo" / ".gitignore").write_text("docs/generated/\n")
    (tmp_path / "repo" / "docs" / "generated").mkdir(parents=True)
    (tmp_path / "repo" / "docs" / "private.txt").write_text("x")
    seen = walked(tmp_path / "repo" / "docs", excludes())
    assert seen == {"generated": "ignored", "private.txt": "ignored"}


def test_patterns_of_the_settings(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "a.txt").write_text("x")
    (tmp_path / "b.txt").write_text("x")
    seen = walked(tmp_path, excludes(Settings(excludes=("/old/",))))
    assert seen == {"old": "ignored", "b.txt": None}


def test_own_home_is_left_out(tmp_path: Path) -> None:
    home = tmp_path / "capsa"
    home.mkdir()
    rules = excludes(home=home)
    assert walked(tmp_path, rules) == {"capsa": "home"}
    assert rules.root_reason(os.fsencode(home / "models")) == "home"
    assert rules.reason(os.fsencode(tmp_path), os.fsencode(home / "x")) == "home"


@pytest.mark.parametrize("path", ["/home/a/.ssh", "/home/a/.ssh/sub", "/home/a/.gnupg", "/x/private.key"])
def test_secrets_cannot_become_a_source(path: str) -> None:
    assert excludes().root_reason(os.fsencode(path)) == "secret"


def test_a_path_outside_or_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "out.txt").write_text("x")
    (tmp_path / "in" / "link").symlink_to(tmp_path)
    root = os.fsencode(tmp_path / "in")
    assert excludes().reason(root, os.fsencode(tmp_path / "out.txt")) == "outside"
    assert excludes().reason(root, os.fsencode(tmp_path / "in" / "link" / "out.txt")) == "symlink"


def test_an_ignore_file_that_is_a_fifo_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".gitignore")
    (tmp_path / "a.txt").write_text("x")
    items = list(walk(os.fsencode(tmp_path), excludes(), LIMITS))
    assert [type(item) for item in items] == [Skip, Found]
