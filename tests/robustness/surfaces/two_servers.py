"""Two servers on one folder: the second one starts at any moment, says where the first one is, and ends."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import httpx

from tests.robustness.page_server import NEW, server_process
from tests.robustness.trials import surface

_SERVE = [sys.executable, "-c", "import sys; from sparring.cli import main; sys.exit(main())", "serve"]


@surface("two-servers", trials=6, few=1)
def two_servers(rng: random.Random, folder: Path) -> None:
    """The games of the first server are as it answered them, also after it was killed."""
    options = ["--port", "0", "--no-browser", "--folder", str(folder)]
    together = rng.random() < 0.3
    if together:  # one of two that start in the same instant has the folder
        both = [
            subprocess.Popen([*_SERVE, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for _ in range(2)
        ]
        deadline = time.monotonic() + 120
        while all(server.poll() is None for server in both) and time.monotonic() < deadline:
            time.sleep(0.05)
        ended = [server for server in both if server.poll() is not None]
        for server in both:
            if server not in ended:
                server.kill()
            server.wait()
        assert [server.returncode for server in ended] == [2]
        assert ended[0].stderr is not None
        text = ended[0].stderr.read()
        assert "a server already runs" in text, text
        assert "Traceback" not in text, text
        for server in both:
            server.communicate()
    with server_process(folder) as (_, address), httpx.Client(base_url=address, timeout=120) as client:
        view = client.post("/api/games", json=NEW).json()
        for _ in range(rng.randint(0, 2)):
            second = subprocess.run(
                [*_SERVE, *options], capture_output=True, text=True, timeout=120, check=False
            )
            assert second.returncode == 2, second
            assert f"already runs at {address}" in " ".join(second.stderr.split()), second.stderr
            assert "Traceback" not in second.stderr, second.stderr
            move = {"move": rng.choice(view["legal"])["text"], "ply": view["ply"]}
            view = client.post(f"/api/games/{view['id']}/moves?wait=60", json=move).json()
    with server_process(folder) as (_, address), httpx.Client(base_url=address, timeout=120) as client:
        again = client.get(f"/api/games/{view['id']}")
        assert again.status_code == 200, again.text
        assert again.json()["moves"] == view["moves"]
        assert client.delete(f"/api/games/{view['id']}").status_code == 204
