"""Deleted games: after any commands, and at the same moment as others, they are gone and no other is."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.robustness.page_server import HEAVY, NEW, played, shared_client
from tests.robustness.trials import surface


@surface("deletions", trials=40)
def deletions(rng: random.Random, folder: Path) -> None:
    """Some commands, then the deletion: whatever follows says that there is no game."""
    client = shared_client()
    kept, address = played(client), f"/api/games/{played(client)['id']}"
    for step in rng.sample(["moves", "undo", "resign", "draw", "get", "hint"], rng.randint(0, 3)):
        if step in ("get", "hint"):
            client.get(address if step == "get" else f"{address}/hint")
        else:
            body = {"move": "e2e3", "ply": 2} if step == "moves" else {}
            assert client.post(f"{address}/{step}", json=body).status_code < 500
    assert client.delete(address).status_code == 204
    for step in ("moves", "undo", "resign"):
        body = {"move": "e2e3", "ply": 2} if step == "moves" else {}
        assert client.post(f"{address}/{step}", json=body).status_code == 404
    assert client.get(f"/api/games/{kept['id']}").json()["moves"] == kept["moves"]
    assert client.delete(f"/api/games/{kept['id']}").status_code == 204


@surface("delete-races", trials=110)
def delete_races(rng: random.Random, folder: Path) -> None:
    """A deletion and other requests at once: no server error, and no ghost of the game."""
    client = shared_client()
    game = client.post("/api/games", json=HEAVY if rng.random() < 0.1 else NEW).json()
    address = f"/api/games/{game['id']}"
    move = {"move": rng.choice(game["legal"])["text"] if game["legal"] else "e2e4", "ply": 0}
    if rng.random() < 0.3:  # it must be read from the file again
        host = client.app.state.host  # type: ignore[attr-defined]
        assert client.portal is not None
        client.portal.call(host._drop, host._games[game["id"]])

    def ask(kind: str) -> int:
        if kind == "delete":
            answer = client.delete(address)
        elif kind in ("", "hint", "record?format=pgn", "positions/0"):
            answer = client.get(f"{address}/{kind}" if kind else address)
        else:
            answer = client.post(f"{address}/{kind}", json=move if kind == "moves" else {})
        return int(answer.status_code)

    others = ("", "moves", "moves", "resign", "undo", "hint", "record?format=pgn", "positions/0", "delete")
    kinds = ["delete", *rng.choices(others, k=rng.randint(2, 6))]
    rng.shuffle(kinds)
    with ThreadPoolExecutor(len(kinds)) as pool:
        codes = list(pool.map(ask, kinds))
    assert set(codes) <= {200, 204, 404, 409, 422, 429}, (kinds, codes)
    assert codes.count(204) == 1, (kinds, codes)
    assert ask("") == ask("moves") == ask("delete") == 404
    assert game["id"] not in [entry["id"] for entry in client.get("/api/games").json()]
