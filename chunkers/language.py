"""Which natural language a document is written in."""

ENOUGH = 2000
TOO_LITTLE = 40


def detect(text: str) -> str:
    """Return the ISO 639-1 code of the text's first 2,000 characters, "" when they say too little."""
    sample = text[:ENOUGH]
    if sum(char.isalpha() for char in sample) < TOO_LITTLE:
        return ""
    from py3langid import classify  # loading the model costs a second of CPU time

    language, _ = classify(sample)
    return str(language)
