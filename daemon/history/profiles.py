"""Where browsers keep their history on Linux, in Flatpak and Snap, macOS and Windows; and whose a file is."""

import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_HISTORY, _PLACES = ("History", "Bookmarks"), ("places.sqlite",)


@dataclass(frozen=True, slots=True)
class Browser:
    """A browser: its name, the files of its history, and the folders of its profiles by platform.

    The folders are below the user's own; * stands for any name, %APPDATA% for what Windows says it is.
    """

    name: str
    files: tuple[str, ...]
    linux: tuple[str, ...] = ()
    darwin: tuple[str, ...] = ()
    win32: tuple[str, ...] = ()


def _chromium(name: str, linux: str, darwin: str, win32: str, *boxed: str) -> Browser:
    """A browser of the Chromium family, whose profiles are called Default, Profile 1, …; * finds them all."""
    linuxes = [f"{folder}/*" for folder in (linux and f".config/{linux}", *boxed) if folder]
    return Browser(
        name,
        _HISTORY,
        tuple(linuxes),
        (f"Library/Application Support/{darwin}/*",) if darwin else (),
        (f"%LOCALAPPDATA%/{win32}/User Data/*",) if win32 else (),
    )


def _flatpak(app: str, folder: str) -> str:
    return f".var/app/{app}/config/{folder}"


# Opera keeps its only profile in the folder itself.
BROWSERS: tuple[Browser, ...] = (
    Browser(
        "firefox",
        _PLACES,
        (
            ".mozilla/firefox/*",
            ".config/mozilla/firefox/*",
            ".var/app/org.mozilla.firefox/.mozilla/firefox/*",
            "snap/firefox/common/.mozilla/firefox/*",
        ),
        ("Library/Application Support/Firefox/Profiles/*",),
        ("%APPDATA%/Mozilla/Firefox/Profiles/*",),
    ),
    _chromium(
        "chrome",
        "google-chrome",
        "Google/Chrome",
        "Google/Chrome",
        ".config/google-chrome-beta",
        _flatpak("com.google.Chrome", "google-chrome"),
    ),
    _chromium(
        "chromium",
        "chromium",
        "Chromium",
        "Chromium",
        _flatpak("org.chromium.Chromium", "chromium"),
        "snap/chromium/common/chromium",
    ),
    _chromium(
        "edge",
        "microsoft-edge",
        "Microsoft Edge",
        "Microsoft/Edge",
        _flatpak("com.microsoft.Edge", "microsoft-edge"),
    ),
    _chromium(
        "brave",
        "BraveSoftware/Brave-Browser",
        "BraveSoftware/Brave-Browser",
        "BraveSoftware/Brave-Browser",
        _flatpak("com.brave.Browser", "BraveSoftware/Brave-Browser"),
        "snap/brave/current/.config/BraveSoftware/Brave-Browser",
    ),
    _chromium("vivaldi", "vivaldi", "Vivaldi", "Vivaldi", _flatpak("com.vivaldi.Vivaldi", "vivaldi")),
    Browser(
        "opera",
        _HISTORY,
        (".config/opera", ".var/app/com.opera.Opera/config/opera", "snap/opera/current/.config/opera"),
        ("Library/Application Support/com.operasoftware.Opera",),
        ("%APPDATA%/Opera Software/Opera Stable", "%APPDATA%/Opera Software/Opera Stable/*"),
    ),
    Browser("arc", _HISTORY, (), ("Library/Application Support/Arc/User Data/*",)),
    Browser("safari", ("History.db",), (), ("Library/Safari",)),
    Browser(
        "librewolf",
        _PLACES,
        (
            ".librewolf/*",
            ".config/librewolf/librewolf/*",
            ".var/app/io.gitlab.librewolf-community/.librewolf/*",
        ),
        ("Library/Application Support/librewolf/Profiles/*",),
        ("%APPDATA%/librewolf/Profiles/*",),
    ),
    Browser(
        "waterfox",
        _PLACES,
        (".waterfox/*", ".var/app/net.waterfox.waterfox/.waterfox/*"),
        ("Library/Application Support/Waterfox/Profiles/*",),
        ("%APPDATA%/Waterfox/Profiles/*",),
    ),
    Browser(
        "palemoon",
        _PLACES,
        (".moonchild productions/pale moon/*",),
        ("Library/Application Support/Pale Moon/Profiles/*",),
        ("%APPDATA%/Moonchild Productions/Pale Moon/Profiles/*",),
    ),
    Browser(
        "qutebrowser",
        ("history.sqlite",),
        (".local/share/qutebrowser", ".var/app/org.qutebrowser.qutebrowser/data/qutebrowser"),
        ("Library/Application Support/qutebrowser",),
        ("%APPDATA%/qutebrowser/data",),
    ),
    Browser(
        "epiphany",
        ("ephy-history.db",),
        (
            ".local/share/epiphany",
            ".var/app/org.gnome.Epiphany/data/epiphany",
            "snap/epiphany/current/.local/share/epiphany",
        ),
    ),
)
NAMES: tuple[str, ...] = tuple(browser.name for browser in BROWSERS)

# What a folder or a file is called in which a browser's history lies, by the browser.
_CALLED: Mapping[str, str] = {
    "firefox": r"firefox",
    "waterfox": r"waterfox",
    "palemoon": r"pale ?moon",
    "librewolf": r"librewolf",
    "chrome": r"chrome(?!cast)",
    "chromium": r"chromium",
    "edge": r"(?<![a-z])(?:ms)?edge(?![a-z])",
    "brave": r"brave",
    "vivaldi": r"vivaldi",
    "opera": r"opera",
    "arc": r"(?<![a-z])arc(?![a-z])",
}
_FAMILIES: Mapping[str, tuple[str, ...]] = {
    "firefox": ("firefox", "waterfox", "palemoon", "librewolf"),
    "chromium": ("chrome", "chromium", "edge", "brave", "vivaldi", "opera", "arc"),
}


def find_profiles(name: str, home: Path | None = None, platform: str = sys.platform) -> list[Path]:
    """Return the histories and bookmarks of a browser on this machine, those used last first."""
    browser = next(browser for browser in BROWSERS if browser.name == name)
    found = {path.resolve() for path in _candidates(browser, home or Path.home(), platform) if path.is_file()}
    return sorted(found, key=lambda path: (-path.stat().st_mtime, path))


def installed(home: Path | None = None, platform: str = sys.platform) -> list[str]:
    """Return the names of the browsers that have a history on this machine."""
    return [name for name in NAMES if find_profiles(name, home, platform)]


def browser_of(path: Path, family: str) -> str:
    """Return the browser whose history a file is, of a family: by the last of their names in its path."""
    text = str(path).lower()
    places = {
        name: max((match.start() for match in re.finditer(_CALLED[name], text)), default=-1)
        for name in _FAMILIES.get(family, ())
    }
    best = max(places, key=lambda name: places[name], default=family)
    return best if places.get(best, -1) >= 0 else family


def _candidates(browser: Browser, home: Path, platform: str) -> Iterator[Path]:
    folders = {"darwin": browser.darwin, "win32": browser.win32}.get(platform, browser.linux)
    for folder in folders:
        base, pattern = _base(folder, home)
        if base is not None:
            for file in browser.files:
                yield from base.glob(f"{pattern}/{file}")


def _base(folder: str, home: Path) -> tuple[Path | None, str]:
    if not folder.startswith("%"):
        return home, folder
    name, _, rest = folder.removeprefix("%").partition("%/")
    value = os.environ.get(name)
    return (Path(value) if value else None), rest
