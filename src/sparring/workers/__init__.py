"""Work done side by side: one worker in each of several processes, here or on a Ray cluster."""

from sparring.workers.local import LocalWorkerPool, Worker, WorkerDied
from sparring.workers.ray_pool import RayUnavailable, RayWorkerPool

__all__ = ["LocalWorkerPool", "RayUnavailable", "RayWorkerPool", "Worker", "WorkerDied"]
