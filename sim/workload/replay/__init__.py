"""Replay: transcripts of real sessions become scripts; one importer a format, recognised by content.

Offers:
    import_transcripts    paths → sessions ready to play, each with a report of what was read and left out
    read_drafts           the same before tokens are counted
    Imported, Imports     a session; the list of them with the files passed over
    Report                rows, uses, skips, hidden base, calibration
    FORMATS, format_names the formats known
"""

from sim.workload.replay.importing import FORMATS, format_names, import_transcripts, read_drafts
from sim.workload.replay.report import Imported, Imports, Report

__all__ = ["FORMATS", "Imported", "Imports", "Report", "format_names", "import_transcripts", "read_drafts"]
