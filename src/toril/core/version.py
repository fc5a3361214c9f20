"""The version of toril; the build reads it from here."""

from typing import Final

VERSION: Final = "0.1.0"
