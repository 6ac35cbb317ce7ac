"""A PHY trace in, the link trace of a scheme out: in memory, from file to file, and many at once."""

from tmt.convert.files import Conversion, convert_file, convert_files
from tmt.convert.memory import convert

__all__ = ["Conversion", "convert", "convert_file", "convert_files"]
