"""Settings of the property tests."""

from hypothesis import settings

# A slow machine is no error: no test here asserts a time.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
