"""What is written to the disk so that a kill, an error or a full disk leaves nothing half done."""

from sparring.disk.journal import BadJournal, Journal, OtherJournal, read_journal
from sparring.disk.whole import append_whole, write_whole, written_whole

__all__ = [
    "BadJournal",
    "Journal",
    "OtherJournal",
    "append_whole",
    "read_journal",
    "write_whole",
    "written_whole",
]
