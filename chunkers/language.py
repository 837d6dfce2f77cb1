"""Which natural language a document is written in."""

ENOUGH = 2000
TOO_LITTLE = 40
# CLD2 keeps two codes that ISO 639-1 has given up.
RENAMED = {"iw": "he", "jw": "jv"}
UNKNOWN = "un"


def detect(text: str) -> str:
    """Return the ISO 639-1 code of the text's first 2,000 characters, "" when they say too little."""
    sample = text[:ENOUGH]
    if sum(char.isalpha() for char in sample) < TOO_LITTLE:
        return ""
    try:
        from pycld2 import detect as detect_languages
    except ImportError:  # some systems have no wheel of it; a document without a language is no less findable
        return ""
    # CLD2 refuses control characters and lone surrogates.
    plain = "".join(char if char.isprintable() else " " for char in sample)
    _, _, found = detect_languages(plain, bestEffort=True)
    code = str(found[0][1]).partition("-")[0]
    return "" if code == UNKNOWN or len(code) > 3 else RENAMED.get(code, code)
