"""Nothing leaves the machine: using a network opens no socket, looks up no name and leaves no file."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

WATCH = r"""
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <netdb.h>
#include <sys/socket.h>

static void note(const char* what) {
    if (FILE* file = std::fopen(std::getenv("WATCH_LOG"), "a")) {
        std::fprintf(file, "%s\n", what);
        std::fclose(file);
    }
}

extern "C" int socket(int domain, int kind, int protocol) {
    note(domain == AF_UNIX ? "socket of this machine" : "socket");
    return ((int (*)(int, int, int))dlsym(RTLD_NEXT, "socket"))(domain, kind, protocol);
}

extern "C" int getaddrinfo(const char* node, const char*, const struct addrinfo*, struct addrinfo**) {
    note(node ? node : "getaddrinfo");
    return EAI_FAIL;
}
"""

USE = """
import sparring

network = sparring.load_network("human", game="chess", backend="{backend}")
network.predict([sparring.load_game("chess").initial()])
"""


@pytest.fixture(scope="session")
def watcher(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library that notes every socket and every look-up of a name, for LD_PRELOAD."""
    compiler = shutil.which("c++") or shutil.which("g++")
    if compiler is None or sys.platform != "linux":
        pytest.skip("needs Linux and a C++ compiler")
    folder = tmp_path_factory.mktemp("watch")
    (folder / "watch.cpp").write_text(WATCH)
    library = folder / "watch.so"
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-o", library, folder / "watch.cpp", "-ldl"], check=True, timeout=120
    )
    return library


def run_watched(code: str, watcher: Path, folder: Path) -> tuple[list[str], list[str]]:
    """Runs code in a new process with an empty home. Returns the network calls and the files at home."""
    home, log = folder / "home", folder / "log"
    home.mkdir()
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("ORT_", "XDG_"))}
    preload = " ".join(filter(None, (os.environ.get("LD_PRELOAD"), str(watcher))))  # sanitizers come first
    environment |= {"HOME": str(home), "LD_PRELOAD": preload, "WATCH_LOG": str(log)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, timeout=300)
    calls = log.read_text().splitlines() if log.exists() else []
    return calls, [str(path.relative_to(home)) for path in home.rglob("*")]


@pytest.mark.parametrize("backend", ["onnxruntime", "openvino", "torch"])
def test_a_network_opens_no_socket_and_leaves_no_file(backend: str, watcher: Path, tmp_path: Path) -> None:
    if importlib.util.find_spec(backend) is None:
        pytest.skip(f"{backend} is not installed")
    assert run_watched(USE.format(backend=backend), watcher, tmp_path) == ([], [])


def test_the_watcher_sees_sockets_and_files(watcher: Path, tmp_path: Path) -> None:
    code = (
        "import pathlib, socket; socket.socket(); (pathlib.Path.home() / 'x').touch()\n"
        "try: socket.getaddrinfo('example.org', 80)\nexcept OSError: pass"
    )
    assert run_watched(code, watcher, tmp_path) == (["socket", "example.org"], ["x"])


def test_importing_sparring_switches_telemetry_off() -> None:
    code = (
        "import os, sys, sparring\n"
        "assert os.environ['ORT_DISABLE_TELEMETRY'] == '1'\n"
        "assert os.environ['RAY_USAGE_STATS_ENABLED'] == '0'\n"
        "assert sys.modules['openvino_telemetry'] is None\n"
    )
    environment = {**os.environ, "ORT_DISABLE_TELEMETRY": "0", "RAY_USAGE_STATS_ENABLED": "1"}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, timeout=60)
