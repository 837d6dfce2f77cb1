"""Folders that a file in or beside them lets in or shuts out: they are looked at anew when it changes."""

import os

from capsa.chunkers.captures.beside import FOLDER_SUFFIXES, is_folder_of_page

from .exclude_names import BUILD_BESIDE, MARKERS


def ruled_by(path: bytes) -> list[bytes]:
    """Return the folders of which the name at the path decides whether they are left out.

    A marker decides about its own folder; a build file or a saved page about those beside it that are there.
    """
    folder, name = os.path.split(path)
    if name in MARKERS:
        return [folder]
    beside = (os.path.join(folder, each) for each in (*_builds(name), *_parts(name)))
    return [each for each in beside if os.path.isdir(each)]


def _builds(name: bytes) -> list[bytes]:
    return [build for build, signs in BUILD_BESIDE.items() if name.lower() in signs]


def _parts(name: bytes) -> list[bytes]:
    stem, lower = os.path.splitext(name)[0], name.lower()
    folders = (stem + os.fsencode(suffix) for suffix in FOLDER_SUFFIXES)
    return [each for each in folders if is_folder_of_page(os.fsdecode(each.lower()), {lower})]
