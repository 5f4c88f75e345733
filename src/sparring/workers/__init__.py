"""Tasks done in parallel: in this process, in processes on this machine, or on a Ray cluster."""

from sparring.workers.local import LocalWorkerPool
from sparring.workers.pool import SerialWorkerPool, TaskFailed, Worker, WorkerDied, WorkerError, WorkerPool
from sparring.workers.ray_pool import RayUnavailable, RayWorkerPool

__all__ = [
    "LocalWorkerPool",
    "RayUnavailable",
    "RayWorkerPool",
    "SerialWorkerPool",
    "TaskFailed",
    "Worker",
    "WorkerDied",
    "WorkerError",
    "WorkerPool",
]
