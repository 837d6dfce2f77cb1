"""What lies beside a saved page and belongs to it: a browser's folder of images, the copies of ArchiveBox."""

import os
import re
from collections.abc import Collection

# What browsers add to the name of a page for the folder of its images, by their languages.
FOLDER_SUFFIXES = (
    *("_files", "_file", "-filer", "-dateien", "_dateien", "_fichiers", "_archivos", "_arquivos"),
    *("_bestanden", "_bylos", "_datoteke", "_dosyalar", "_elemei", "_failid", "_fails", "_fajlovi"),
    *("_ficheiros", "_fitxers", "_fitxategiak", "_pliki", "_soubory", "_tiedostot"),
)
_PAGE_SUFFIXES = (".html", ".htm", ".xhtml", ".xht", ".shtml", ".php")

# Of a page in ArchiveBox: what it is, and its copies, the best first: as the browser showed it, its text,
# what the server sent.
SNAPSHOT_INDEX = "index.json"
SNAPSHOT_COPIES = (
    "singlefile.html",
    "output.html",
    "readability/content.html",
    "mercury/content.html",
    "htmltotext.txt",
    "output.pdf",
)
# A snapshot's folder is named after the second in which it was asked for.
_SNAPSHOT = re.compile(r"\d{9,11}(?:\.\d{1,6})?")
_FOLDERS_OF_COPIES = frozenset(copy.partition("/")[0] for copy in SNAPSHOT_COPIES)


def is_folder_of_page(name: str, beside: Collection[bytes]) -> bool:
    """Say whether a folder holds the images of a page that lies beside it; all names are in lower case."""
    stems = [name.removesuffix(each) for each in FOLDER_SUFFIXES if name.endswith(each)]
    pages = [os.fsencode(stem + each) for stem in stems for each in _PAGE_SUFFIXES]
    return any(page in beside for page in pages)


def is_snapshot(folder: str, names: Collection[bytes]) -> bool:
    """Say whether a folder, with the names in it, is a page in ArchiveBox."""
    return (
        SNAPSHOT_INDEX.encode() in names
        and _SNAPSHOT.fullmatch(folder) is not None
        and any(name.encode() in names for name in _FOLDERS_OF_COPIES)
    )
