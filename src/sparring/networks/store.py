"""The model store: shipped networks and networks that the user added."""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from sparring import data
from sparring.base.config import is_file, user_data_folder
from sparring.base.errors import BadFile
from sparring.base.storage import atomic_write
from sparring.games import load_game
from sparring.networks.card import ModelCard, read_card_from_file
from sparring.networks.formats import model_name
from sparring.networks.network import Network, serialized

_NAME = re.compile(r"[\w][\w.+-]{0,99}")


@dataclass(frozen=True)
class ModelEntry:
    """A network in the model store."""

    name: str
    path: Path
    shipped: bool
    card: ModelCard


def home() -> Path:
    """The folder of added networks."""
    return user_data_folder() / "models"


def stored_models(on_broken: Callable[[str], None] = lambda message: None) -> list[ModelEntry]:
    """All networks of the store, sorted by name. An added network hides a shipped one of the same name.

    A file that cannot be read is left out; `on_broken` is called with the reason.
    """
    entries: dict[str, ModelEntry] = {}
    added = sorted(home().glob("*.onnx"))
    for path in (*(data.path("networks", name) for name in data.names("networks")), *added):
        try:
            entries[path.stem] = ModelEntry(path.stem, path, path not in added, read_card_from_file(path))
        except (BadFile, OSError) as error:
            on_broken(str(error))
    return sorted(entries.values(), key=lambda entry: (not entry.shipped, entry.card.game, entry.name))


def find(name: str, game: str | None = None) -> Path:
    """The file of a name in the store, or of a path. With `game`, "human" finds "human-chess", unless the
    user added a network "human" of that game. Raises BadFile."""
    files = _stored_files(name, game)
    if files:  # a network of another game only if there is none of this one, for the message
        return next((path for path in files if len(files) == 1 or _plays(path, game)), files[0])
    if is_file(Path(name)):
        return Path(name)
    names = [entry.name for entry in stored_models()]
    if game is None and (ours := ", ".join(stored for stored in names if stored.startswith(f"{name}-"))):
        raise BadFile(f"there is no network '{name}' for all games: give the game, or one of {ours}")
    wanted = f"'{name[:100]}'" + ("" if game is None else f" of {game}")
    lacks = "" if game is None or not (why := data.lacking(game)) else f" (this package was {why})"
    raise BadFile(f"there is no network {wanted}{lacks}: expected a file, or one of {', '.join(names)}")


def has_added(name: str, game: str) -> bool:
    """Whether the user added a network of this name and game."""
    path = home() / f"{name}.onnx"
    return _NAME.fullmatch(name) is not None and path.is_file() and _plays(path, game)


def _stored_files(name: str, game: str | None) -> list[Path]:
    """The files of a name, completed by the game or not, the user's first."""
    names = (name,) if game is None else (name, f"{name}-{game}")
    places = ((home() / f"{stem}.onnx", data.path("networks", stem)) for stem in names)
    return [path for pair in places for path in pair if _NAME.fullmatch(path.stem) and path.is_file()]


def _plays(path: Path, game: str | None) -> bool:
    try:
        return game is None or read_card_from_file(path).game == game
    except BadFile:
        return False


def add(path: Path, name: str | None = None, *, replace: bool = False) -> ModelEntry:
    """Reads, checks and converts a network file and adds it to the store. Raises BadFile or OSError."""
    name = name or model_name(path)
    if not _NAME.fullmatch(name):
        raise BadFile(f"'{name}' is not a valid model name: use letters, digits, . + - and _")
    target = home() / f"{name}.onnx"
    if target.exists() and not replace:
        raise BadFile(f"there is a model '{name}' already: choose another --name, or --replace it")
    from sparring.networks.formats import make_codec, open_network  # the games' readers, once needed

    model, card = open_network(path)
    try:
        Network(model, card, make_codec(card)).predict([load_game(card.game).initial()])
    except (BadFile, ValueError) as error:
        raise BadFile(f"{path}: {error}") from None
    atomic_write(target, serialized(model))
    return ModelEntry(name, target, False, card)


def remove(name: str) -> None:
    """Removes an added network from the store. Raises BadFile."""
    path = home() / f"{name}.onnx"
    if not _NAME.fullmatch(name) or not path.is_file():
        raise BadFile(f"there is no added model '{name}'")
    path.unlink()


_loaded: weakref.WeakValueDictionary[tuple[object, ...], Network] = weakref.WeakValueDictionary()
_loading = Lock()


def load_network(
    model: str | Path,
    *,
    game: str | None = None,
    backend: str = "onnxruntime",
    threads: int = 1,
    batch: int = 64,
) -> Network:
    """Loads the network of a name or a file.

    All users in one process share a network: the same file with the same arguments gives the same object, as
    long as it is referenced. A file that has changed is loaded again.

    Args:
        model: a name in the store, or a file.
        game: completes names that every game has, such as `human`.
        backend: runtime of the graph, one of `network.BACKENDS`.
        threads: threads of the runtime.
        batch: positions that run at once.

    Raises BadFile or OSError; ValueError for an unknown backend or number of threads; ImportError for a
    backend that is not installed.
    """
    from sparring.networks.formats import make_codec, open_network  # the games' readers

    path = find(str(model), game).resolve()
    status = path.stat()
    key = (path, status.st_mtime_ns, status.st_size, backend, threads, batch)
    with _loading:  # players of several threads load one copy
        if (network := _loaded.get(key)) is not None:
            return network
        graph, card = open_network(path)
        codec = make_codec(card)
        try:
            network = Network(graph, card, codec, backend=backend, threads=threads, batch=batch)
        except BadFile as error:
            raise BadFile(f"{path}: {error}") from None
        _loaded[key] = network
        return network
