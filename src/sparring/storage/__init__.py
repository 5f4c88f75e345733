"""Atomic files, journals and locks: a kill, an error or a full disk leaves no partial results."""

from sparring.storage.atomic import append_or_rollback, atomic_write, atomic_writer
from sparring.storage.companion import CompanionFile
from sparring.storage.journal import BadJournal, Journal, JournalMismatch, read_journal
from sparring.storage.locks import LOCK, FolderLock, FolderLocked, lock_file, lock_folder

__all__ = [
    "LOCK",
    "BadJournal",
    "CompanionFile",
    "FolderLock",
    "FolderLocked",
    "Journal",
    "JournalMismatch",
    "append_or_rollback",
    "atomic_write",
    "atomic_writer",
    "lock_file",
    "lock_folder",
    "read_journal",
]
