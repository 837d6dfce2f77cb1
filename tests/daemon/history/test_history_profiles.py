"""Browsers are found where they keep their profiles, on each system."""

import os
from pathlib import Path

import pytest

from capsa.daemon.history.profiles import BROWSERS, NAMES, browser_of, find_profiles, installed

PLACES = {
    "linux": {
        "firefox": ".mozilla/firefox/ab.default/places.sqlite",
        "chrome": ".config/google-chrome/Default/History",
        "brave": ".config/BraveSoftware/Brave-Browser/Profile 1/History",
        "chromium": "snap/chromium/common/chromium/Default/History",
        "vivaldi": ".var/app/com.vivaldi.Vivaldi/config/vivaldi/Default/History",
        "edge": ".config/microsoft-edge/Default/History",
        "opera": ".config/opera/History",
        "librewolf": ".var/app/io.gitlab.librewolf-community/.librewolf/x.default/places.sqlite",
        "waterfox": ".waterfox/x.default/places.sqlite",
        "palemoon": ".moonchild productions/pale moon/x.default/places.sqlite",
        "qutebrowser": ".local/share/qutebrowser/history.sqlite",
        "epiphany": ".var/app/org.gnome.Epiphany/data/epiphany/ephy-history.db",
    },
    "darwin": {
        "safari": "Library/Safari/History.db",
        "arc": "Library/Application Support/Arc/User Data/Default/History",
        "chrome": "Library/Application Support/Google/Chrome/Profile 2/History",
        "firefox": "Library/Application Support/Firefox/Profiles/x.default/places.sqlite",
    },
    "win32": {
        "chrome": "AppData/Local/Google/Chrome/User Data/Default/History",
        "edge": "AppData/Local/Microsoft/Edge/User Data/Profile 1/History",
        "firefox": "AppData/Roaming/Mozilla/Firefox/Profiles/x.default/places.sqlite",
        "opera": "AppData/Roaming/Opera Software/Opera Stable/History",
    },
}


@pytest.mark.parametrize(
    ("platform", "name"), [(platform, name) for platform, names in PLACES.items() for name in names]
)
def test_a_profile_is_found(
    platform: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "AppData/Local"))
    monkeypatch.setenv("APPDATA", str(tmp_path / "AppData/Roaming"))
    path = tmp_path / PLACES[platform][name]
    path.parent.mkdir(parents=True)
    path.touch()
    assert find_profiles(name, tmp_path, platform) == [path.resolve()]
    assert installed(tmp_path, platform) == [name]


def test_the_profile_used_last_comes_first(tmp_path: Path) -> None:
    paths = [tmp_path / f".mozilla/firefox/{name}/places.sqlite" for name in ("a", "b", "c")]
    for age, path in zip((30, 10, 20), paths, strict=True):
        path.parent.mkdir(parents=True)
        path.touch()
        os.utime(path, (1_000_000 - age, 1_000_000 - age))
    assert [path.parent.name for path in find_profiles("firefox", tmp_path, "linux")] == ["b", "c", "a"]


def test_every_browser_has_a_place_somewhere() -> None:
    assert all(browser.linux or browser.darwin or browser.win32 for browser in BROWSERS)
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize(
    ("path", "family", "name"),
    [
        ("/home/u/.config/BraveSoftware/Brave-Browser/Default/History", "chromium", "brave"),
        ("/home/u/chrome/backup/vivaldi.sqlite", "chromium", "vivaldi"),
        ("/home/u/archive/knowledge/History", "chromium", "chromium"),
        ("/Users/u/Library/Application Support/Arc/User Data/Default/History", "chromium", "arc"),
        ("C:/Users/u/AppData/Local/Microsoft/Edge/User Data/Default/History", "chromium", "edge"),
        ("/x/pale moon/a/places.sqlite", "firefox", "palemoon"),
        ("/x/chrome/places.sqlite", "firefox", "firefox"),
        ("/x/firefox/browser.db", "firefox-android", "firefox-android"),
    ],
)
def test_a_file_is_of_the_browser_named_last_in_its_path(path: str, family: str, name: str) -> None:
    assert browser_of(Path(path), family) == name
