"""Loading policies: names, files and TOML; one-line errors."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from sparring.base.errors import BadConfig, BadFile
from sparring.games import load_game
from sparring.networks import Position, load_network
from sparring.networks.store import add
from sparring.policies import PolicyPool, TemperedPolicy, fingerprint, load_policy, policy_name, rating_range
from tests.networks.tiny_networks import tiny_network, write

START = Position(load_game("chess").initial(), rating=1500)


@pytest.fixture
def folder(tmp_path: Path, model_store: Path) -> Path:
    write(tiny_network("chess", seed=1), tmp_path / "human.onnx")
    write(tiny_network("chess", seed=2), tmp_path / "strong.onnx")
    write(tiny_network("shogi"), tmp_path / "shogi.onnx")
    return tmp_path


def blend(folder: Path, text: str, name: str = "blend.toml") -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


GOOD = """
game = "chess"
temperature = {{ 1100 = 1.5, 1900 = 0.5 }}

[[policy]]
use = "human.onnx"
weight = {{ 1100 = 0.8, 1900 = 0.6 }}

[[policy]]
use = "{other}"
weight = 0.3
temperature = 2
"""


def test_a_network_is_opened_by_its_file_and_called_after_it(folder: Path) -> None:
    policy = load_policy(str(folder / "human.onnx"), "chess")
    assert (policy.name, policy.game) == ("human", "chess")
    assert load_policy(str(folder / "human.onnx"), "chess", name="mine").name == "mine"
    assert policy_name("nets/maia-1500.pb.gz") == "maia-1500"


def test_a_file_says_its_game(folder: Path) -> None:
    assert load_policy(folder / "human.onnx").game == "chess"
    assert load_policy(blend(folder, GOOD.format(other="strong.onnx"))).game == "chess"
    assert load_policy("human-go").game == "go"


@pytest.mark.parametrize("name", ["human", "blend"])
def test_a_name_of_several_games_needs_the_game(name: str) -> None:
    with pytest.raises(BadConfig, match=f"'{name}' exists for several games: give the game, one of chess"):
        load_policy(name)


def test_an_unknown_game_is_named() -> None:
    with pytest.raises(BadConfig, match="unknown game 'ches'; did you mean 'chess'"):
        load_policy("human", "ches")


def test_a_network_of_several_games_needs_the_game() -> None:
    with pytest.raises(BadFile, match="'human' for all games: give the game, or one of human-chess"):
        load_network("human")


def test_a_file_says_the_formula_with_weights_and_temperatures_by_rating(folder: Path) -> None:
    found = load_policy(blend(folder, GOOD.format(other="strong.onnx")), "chess").predict([START])[0]
    human, strong = (
        load_policy(str(folder / f"{name}.onnx"), "chess").predict([START])[0].probabilities.astype(float)
        for name in ("human", "strong")
    )
    strong = np.sqrt(strong) / np.sqrt(strong).sum()
    expected = human**0.7 * strong**0.3  # at temperature 1, half way from 1.5 to 0.5
    assert found.probabilities == pytest.approx(expected / expected.sum(), abs=1e-6)


def test_a_policy_may_be_a_part_of_another_and_lie_beside_it(folder: Path) -> None:
    blend(folder, 'game = "chess"\n[[policy]]\nuse = "strong.onnx"', "inner.toml")
    outer = load_policy(blend(folder, GOOD.format(other="inner.toml")), "chess")
    plain = load_policy(blend(folder, GOOD.format(other="strong.onnx"), "plain.toml"), "chess")
    assert isinstance(outer, TemperedPolicy)
    assert isinstance(outer.policy, PolicyPool)
    assert outer.predict([START])[0].probabilities == pytest.approx(
        plain.predict([START])[0].probabilities, abs=1e-6
    )


def test_models_of_the_store_are_used_by_name(folder: Path) -> None:
    add(folder / "strong.onnx", "shelved")
    text = blend(folder, GOOD.format(other="shelved"))
    assert len(load_policy(text, "chess").predict([START])[0].moves) == 20


def test_go_uses_ranks(folder: Path) -> None:
    write(tiny_network("go"), folder / "go.onnx")
    text = 'game = "go"\n[[policy]]\nuse = "go.onnx"\nweight = { 2k = 1.0, 2d = 2.0 }'
    policy = load_policy(blend(folder, text), "go")
    assert isinstance(policy, PolicyPool)
    assert policy.members[0].weight.at(1) == pytest.approx(1.75)


def test_the_fingerprint_changes_with_any_file_of_the_policy(folder: Path) -> None:
    text = blend(folder, GOOD.format(other="strong.onnx"))
    before = fingerprint(text)
    assert before == fingerprint(text)
    write(tiny_network("chess", seed=3), folder / "strong.onnx")
    changed = fingerprint(text)
    blend(folder, GOOD.format(other="strong.onnx") + "# a word more\n")
    assert len({before, changed, fingerprint(text)}) == 3
    assert fingerprint("human", "chess") == fingerprint("human-chess") != fingerprint("human", "go")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("game = ", "not TOML"),
        ('[[policy]]\nuse = "human.onnx"', "missing key 'game'"),
        ('game = "chess"', "missing key 'policy'"),
        ('game = "poker"\n[[policy]]\nuse = "human.onnx"', "game = 'poker': expected one of chess, "),
        ('game = "chess"\npolicy = []', "at least one"),
        ('game = "chess"\npolicy = 3', "policy = 3: expected a list of tables"),
        (
            'game = "chess"\nwieght = 1\n[[policy]]\nuse = "human.onnx"',
            "unknown key 'wieght'. Known keys: game",
        ),
        (
            'game = "chess"\n[[policy]]\nuse = "human.onnx"\nalpha = 1',
            r"unknown key 'policy\[1\]\.alpha'\. Known keys: use, weight",
        ),
        ('game = "chess"\n[[policy]]\nweight = 1', r"missing key 'policy\[1\]\.use'"),
        ('game = "chess"\nkind = "median"\n[[policy]]\nuse = "human.onnx"', "geometric, arithmetic, power"),
        ('game = "chess"\nkind = "power"\n[[policy]]\nuse = "human.onnx"', "power needs 'beta'"),
        ('game = "chess"\nbeta = 2\n[[policy]]\nuse = "human.onnx"', "no other kind has it"),
        (
            'game = "chess"\n[[policy]]\nuse = "human.onnx"\nweight = "much"',
            "weight = 'much': expected a number or a table of numbers",
        ),
        (
            'game = "chess"\n[[policy]]\nuse = "human.onnx"\nweight = inf',
            "weight = inf: expected a number or a table of numbers",
        ),
        (
            'game = "chess"\n[[policy]]\nuse = "human.onnx"\nweight = { 3d = 1 }',
            r"policy\[1\]\.weight = '3d': expected ratings as keys, such as 1500",
        ),
        ('game = "chess"\n[[policy]]\nuse = "human.onnx"\nweight = 0', "all weights are 0"),
        ('game = "chess"\n[[policy]]\nuse = "human.onnx"\ntemperature = -1', "positive, not -1"),
        ('game = "shogi"\n[[policy]]\nuse = "shogi.onnx"', "is a policy for shogi, not for chess"),
        ('game = "chess"\n[[policy]]\nuse = "shogi.onnx"', "is a network for shogi, not for chess"),
        ('game = "chess"\n[[policy]]\nuse = "none.toml"', "there is no policy file"),
        ('game = "chess"\n[[policy]]\nuse = "blend.toml"', "blend.toml uses blend.toml"),
    ],
)
def test_errors_in_a_file_are_reported(folder: Path, text: str, message: str) -> None:
    with pytest.raises(BadConfig, match=message) as caught:
        load_policy(blend(folder, text), "chess")
    assert "\n" not in str(caught.value)
    assert str(folder) in str(caught.value)


def test_a_longer_cycle_is_found_too(folder: Path) -> None:
    blend(folder, 'game = "chess"\n[[policy]]\nuse = "b.toml"', "a.toml")
    text = blend(folder, 'game = "chess"\n[[policy]]\nuse = "a.toml"', "b.toml")
    with pytest.raises(BadConfig, match=r"b\.toml uses a\.toml uses b\.toml"):
        fingerprint(text)


def test_an_unknown_policy_is_an_error(folder: Path) -> None:
    with pytest.raises(BadFile, match="there is no network 'maia-9999'"):
        load_policy("maia-9999", "chess")
    with pytest.raises(BadConfig, match="unknown backend 'abacus'"):
        load_policy(str(folder / "human.onnx"), "chess", backend="abacus")


def test_policies_have_a_rating_range(folder: Path) -> None:
    def known(text: str) -> tuple[float, float] | None:
        return rating_range(load_policy(text, "chess"))

    people = known("human")
    assert people is not None
    assert known(str(folder / "strong.onnx")) is None
    part = 'game = "chess"\n[[policy]]\nuse = "{use}"\n'
    assert known(blend(folder, part.format(use="human-chess"), "a.toml")) == people
    assert known(blend(folder, part.format(use="strong.onnx"), "b.toml")) is None
    by_rating = part.format(use="strong.onnx") + "weight = { 1100 = 0.8, 1900 = 0.6 }\n"
    assert known(blend(folder, by_rating, "c.toml")) == (-math.inf, math.inf)
    assert known(blend(folder, by_rating + '[[policy]]\nuse = "human-chess"\n', "d.toml")) == people


@pytest.mark.parametrize(("game", "rating"), [("chess", 1500), ("go", 7), ("shogi", None)])
def test_a_blend_comes_with_each_game(model_store: Path, game: str, rating: int | None) -> None:
    policy = load_policy("blend", game)
    assert (policy.name, policy.game) == ("blend", game)
    state = load_game(game).initial()
    (prediction,) = policy.predict([Position(state, rating=rating)])
    assert sorted(prediction.moves) == state.legal_moves()
    assert prediction.probabilities.sum() == pytest.approx(1, abs=1e-5)
    assert fingerprint("blend", game) != fingerprint("human", game)


def test_no_blend_comes_with_a_game_without_people(model_store: Path) -> None:
    with pytest.raises(BadFile, match="there is no network 'blend' of expendibots"):
        load_policy("blend", "expendibots")


def policy_chain(folder: Path, files: int, width: int) -> Path:
    """Policy files, each of which uses the next one `width` times."""
    for number in range(files):
        use = f"{number + 1}.toml" if number + 1 < files else "human"
        members = f'[[policy]]\nuse = "{use}"\n' * width
        (folder / f"{number}.toml").write_text(f'game = "chess"\n{members}')
    return folder / "0.toml"


@pytest.mark.parametrize(
    ("files", "width", "complaint"),
    [(2000, 1, "through more than 8 others"), (40, 2, "more than"), (1, 100, "more than 64 policies in all")],
)
def test_chains_of_policies_are_bounded(tmp_path: Path, files: int, width: int, complaint: str) -> None:
    path = policy_chain(tmp_path, files, width)
    for read in (load_policy, fingerprint):
        with pytest.raises(BadConfig, match=complaint) as refused:
            read(str(path), "chess")
        assert str(refused.value).startswith(str(path))


def test_short_chains_are_policies(tmp_path: Path) -> None:
    assert load_policy(policy_chain(tmp_path, 5, 1)).game == "chess"
    assert load_policy(policy_chain(tmp_path, 4, 2)).game == "chess"


@pytest.mark.parametrize(
    "text",
    [
        "temperature = 5e-324\n", "temperature = 1e300\n", 'kind = "power"\nbeta = 1e300\n',
        'kind = "power"\nbeta = -1e-300\n', "alpha = nan\n", "temperature = { 1500 = nan }\n",
        f"temperature = {'9' * 400}\n", f"temperature = {{ {'9' * 400} = 1 }}\n", "game = []\n",
    ],
)  # fmt: skip
def test_numbers_without_meaning_are_refused(tmp_path: Path, text: str) -> None:
    game = "" if "game" in text else 'game = "chess"\n'
    path = tmp_path / "x.toml"
    path.write_text(f'{game}{text}[[policy]]\nuse = "human"\n[[policy]]\nuse = "strong"\n')
    with pytest.raises(BadConfig, match=r"x\.toml") as refused:
        load_policy(path)
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize("weight", ["1e308", "-1e308", "{ 1500 = 1e307 }"])
def test_weights_that_overflow_are_refused(tmp_path: Path, weight: str) -> None:
    path = tmp_path / "x.toml"
    path.write_text(f'game = "chess"\n[[policy]]\nuse = "human"\nweight = {weight}\n')
    with pytest.raises(BadConfig, match="a weight is a number from"):
        load_policy(path)


def test_a_name_that_is_too_long_for_a_file_is_a_clear_error(tmp_path: Path) -> None:
    name = "x" * 5000
    (tmp_path / "a.toml").write_text(f'game = "chess"\n[[policy]]\nuse = "{name}"\nweight = 1\n')
    for source in (name, str(tmp_path / "a.toml")):
        with pytest.raises(BadFile, match="there is no network 'x") as caught:
            load_policy(source, "chess")
        assert len(str(caught.value)) < 1000
