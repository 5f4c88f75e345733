"""The format fields of Lc0's net.proto, and the values that we read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import TypeVar

from sparring.networks.errors import BadNetwork
from sparring.networks.lc0.protobuf import Message
from sparring.networks.lc0.weights import ActivationFunction


class WeightsEncoding(IntEnum):
    """The storage format of weights."""

    LINEAR16 = 1
    FLOAT16 = 2
    BFLOAT16 = 3
    FLOAT32 = 4


class NetworkStructure(IntEnum):
    """The kind of body, and how the file specifies its heads."""

    CLASSICAL = 1
    SE = 2
    CLASSICAL_WITH_HEADS = 3
    SE_WITH_HEADS = 4
    ONNX = 5
    ATTENTION = 6
    ATTENTION_MULTIHEAD = 7
    ATTENTION_LEGACY_MULTIHEAD = 134


class PolicyFormat(IntEnum):
    """The kind of policy head."""

    CLASSICAL = 1
    CONVOLUTION = 2
    ATTENTION = 3


class ValueFormat(IntEnum):
    """The kind of value head."""

    CLASSICAL = 1
    WDL = 2


class MovesLeftFormat(IntEnum):
    """The kind of moves-left head."""

    NONE = 0
    V1 = 1


class InputFormat(IntEnum):
    """The input encoding."""

    CLASSICAL_112 = 1


class InputEmbeddingFormat(IntEnum):
    """The input embedding of an attention body. Lc0 treats NONE as MAP."""

    NONE = 0
    MAP = 1
    DENSE = 2


class DefaultActivation(IntEnum):
    """The activation of layers that do not specify one."""

    RELU = 0
    MISH = 1


@dataclass(frozen=True)
class NetworkFormat:
    """The format of the network in a file."""

    structure: NetworkStructure
    policy: PolicyFormat
    value: ValueFormat
    moves_left: MovesLeftFormat
    embedding: InputEmbeddingFormat
    activation: ActivationFunction
    smolgen_activation: ActivationFunction
    feed_forward_activation: ActivationFunction

    @property
    def attention(self) -> bool:
        """Whether the body consists of encoder layers."""
        return self.structure in (NetworkStructure.ATTENTION, NetworkStructure.ATTENTION_MULTIHEAD)


E = TypeVar("E", bound=IntEnum)

_OLD_HEADS = {
    NetworkStructure.CLASSICAL: NetworkStructure.CLASSICAL_WITH_HEADS,
    NetworkStructure.SE: NetworkStructure.SE_WITH_HEADS,
}
_ENCODER, _SMOLGEN, _VALUE_HEADS, _POLICY_HEADS = 27, 35, 44, 45  # fields of Weights


def read_network_format(network: Message | None, weights: Message) -> NetworkFormat:
    """Reads the format. Missing fields of older files are interpreted as Lc0 does. Raises BadNetwork for
    formats that are not supported."""
    if network is None:  # the oldest files do not say
        return _plain(NetworkStructure.CLASSICAL_WITH_HEADS)
    if network.number(1, "input") != InputFormat.CLASSICAL_112:
        raise BadNetwork(
            f"its input format is {network.number(1, 'input')}; "
            f"only {InputFormat.CLASSICAL_112} (the classical 112 planes) is read"
        )
    structure = _known(NetworkStructure, network.number(3, "network"), "network structure")
    if structure is NetworkStructure.ONNX:
        raise BadNetwork("it wraps an ONNX model, which is not read; a file with weights is")
    if structure in _OLD_HEADS:
        return _plain(_OLD_HEADS[structure])
    activation = _known(DefaultActivation, network.number(7, "default_activation"), "default activation")
    default = ActivationFunction[activation.name]
    found = NetworkFormat(
        structure=structure,
        policy=_known(PolicyFormat, network.number(4, "policy"), "policy format"),
        value=_known(ValueFormat, network.number(5, "value"), "value format"),
        moves_left=_known(MovesLeftFormat, network.number(6, "moves_left"), "moves-left format"),
        embedding=_known(InputEmbeddingFormat, network.number(10, "input_embedding"), "input embedding"),
        activation=default,
        smolgen_activation=_activation(network.number(8, "smolgen_activation"), default),
        feed_forward_activation=_activation(network.number(9, "ffn_activation"), default),
    )
    return _modernised(found, weights)


def _plain(structure: NetworkStructure) -> NetworkFormat:
    return NetworkFormat(
        structure=structure,
        policy=PolicyFormat.CLASSICAL,
        value=ValueFormat.CLASSICAL,
        moves_left=MovesLeftFormat.NONE,
        embedding=InputEmbeddingFormat.NONE,
        activation=ActivationFunction.RELU,
        smolgen_activation=ActivationFunction.RELU,
        feed_forward_activation=ActivationFunction.RELU,
    )


def _modernised(found: NetworkFormat, weights: Message) -> NetworkFormat:
    """Maps attention bodies that were written with the structure numbers of residual towers."""
    if found.structure is NetworkStructure.SE_WITH_HEADS and _ENCODER in weights:
        found = replace(found, structure=NetworkStructure.ATTENTION)
        if _SMOLGEN in weights:
            found = replace(
                found,
                feed_forward_activation=ActivationFunction.RELU_SQUARED,
                smolgen_activation=ActivationFunction.SWISH,
            )
    elif found.structure is NetworkStructure.ATTENTION_LEGACY_MULTIHEAD:
        return replace(found, structure=NetworkStructure.ATTENTION_MULTIHEAD)
    if found.structure is NetworkStructure.ATTENTION and _POLICY_HEADS in weights and _VALUE_HEADS in weights:
        return replace(
            found, structure=NetworkStructure.ATTENTION_MULTIHEAD, embedding=InputEmbeddingFormat.DENSE
        )
    return found


def _activation(number: int, default: ActivationFunction) -> ActivationFunction:
    if number == 0:
        return default
    try:
        return ActivationFunction(number)
    except ValueError:
        raise BadNetwork(
            f"its activation {number} is unknown; {_list(ActivationFunction)} are read"
        ) from None


def _known(kinds: type[E], number: int, what: str) -> E:
    try:
        return kinds(number)
    except ValueError:
        raise BadNetwork(f"its {what} is {number}; {_list(kinds)} are read") from None


def _list(kinds: type[IntEnum] | type[ActivationFunction]) -> str:
    return ", ".join(f"{kind.value} ({kind.name.lower().replace('_', ' ')})" for kind in kinds)
