"""Measurements in the formats of other tools: importers, one file per format, and exporters.

`registry.IMPORTERS` lists the importers; `files.import_trace` turns a measurement file into a trace.
"""
