"""Work done side by side: one worker in each of several processes, here or on a Ray cluster."""

from sparring.workers.local import LocalCrew, Worker, WorkerDied
from sparring.workers.remote import NoRay, RayCrew

__all__ = ["LocalCrew", "NoRay", "RayCrew", "Worker", "WorkerDied"]
