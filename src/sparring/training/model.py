"""Policy and value networks in PyTorch. `training.export` writes the same networks as ONNX graphs.

`PolicyValueNetwork` has a residual or an attention tower, for any game; `GeometricNetwork` is a transformer
over the squares of a chess board with Maia-3's geometric bias, whose layers can train and run in 8 bits.

Shapes: n positions, `planes` input planes, `cells` = rows * columns squares, `width` channels.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from sparring.games import NetworkLayout, describe
from sparring.networks.conditioned import CONTEXT, InputSpec
from sparring.networks.graph import attention_policy_map
from sparring.training.config import NetworkConfig, TrainingConfig

LEAD_SCALE = 0.1
"""Factor of a lead in points where it enters a layer."""
KNOTS = 11
"""Knots of the piecewise linear encoding of a rating."""
CONDITIONING_WIDTH = 64
"""Width of the conditioning vector."""
SMOLGEN_CHANNELS = 8
"""Channels per square in smolgen's compressed board."""
SMOLGEN_HIDDEN = 64
"""Width of smolgen's hidden layer."""
QUERY_WIDTH = 64
"""Width of queries and keys in the from-to policy head."""
TEMPLATES = 64
"""Shared attention biases [cells, cells] that each board of a geometric network mixes."""
COMPRESSED = 64
"""Width of the board from which a geometric network mixes its biases."""
MAX_WEIGHT = 63
"""Weights in 8 bits use 7 of them. Processors without VNNI add pairs of products in 16 bits, and 2 * 255 * 63
fits."""
_RANGE_MARGIN, _RANGE_SHARE, _RANGE_SAMPLE = 1.15, 0.9999, 1 << 20
"""The range of a layer's input in 8 bits: a quantile of so many values, with a margin."""


def layout_of(config: TrainingConfig) -> NetworkLayout:
    """Returns the layout of a configuration's network: encoding, planes and policy, by the game's
    description.

    Raises ValueError where the game has none.
    """
    layout = describe(config.game).layout
    if layout is None:
        raise ValueError(f"networks of {config.game} cannot be trained: its description has no layout")
    return layout(config.network.history)


def input_spec_of(config: TrainingConfig) -> InputSpec:
    """Returns the settings of the network's codec."""
    network = config.network
    lowest, highest = network.rating_range or (0.0, 1.0)
    return InputSpec(
        config.game,
        layout_of(config).encoding,
        network.history,
        lowest,
        highest,
        facts=int(network.facts),
        servers=",".join(network.servers),
    )


def _scales(layout: NetworkLayout) -> Tensor:
    """[planes, 1, 1]: factors of the input planes; counts are scaled to 0..1."""
    scales = torch.ones(layout.planes, 1, 1)
    for begin, end, most in layout.counts:
        scales[begin:end] = 1 / most
    return scales


def _enabled(part: NetworkConfig) -> Tensor:
    """[3]: 1 for the inputs in use (own rating, opponent's rating, clock), else 0."""
    return torch.tensor([float(part.rating_range is not None)] * 2 + [float(part.clock)])


class ContextEncoder(nn.Module):
    """Encodes ratings and clock as a conditioning vector.

    Input: context [n, 6 or more], see `networks.conditioned`. Output: [n, CONDITIONING_WIDTH]. A rating
    becomes hat functions over KNOTS knots. Ratings and clock that the configuration does not use are
    multiplied by 0; komi and servers enter as they are.
    """

    enabled: Tensor
    knots: Tensor

    def __init__(self, part: NetworkConfig) -> None:
        super().__init__()
        self.register_buffer("enabled", _enabled(part))
        self.register_buffer("knots", torch.arange(KNOTS, dtype=torch.float32))
        self.project = nn.Linear(2 * KNOTS + 2 + part.facts + len(part.servers), CONDITIONING_WIDTH)

    def forward(self, context: Tensor) -> Tensor:
        values, known = context[:, 0:CONTEXT:2], context[:, 1:CONTEXT:2] * self.enabled
        hats = (1 - (values[:, :2, None] * (KNOTS - 1) - self.knots).abs()).relu() * known[:, :2, None]
        clock = torch.stack([values[:, 2] * known[:, 2], known[:, 2]], dim=1)
        return functional.relu(self.project(torch.cat([hats.flatten(1), clock, context[:, CONTEXT:]], dim=1)))


class ResidualBlock(nn.Module):
    """Residual block of two 3x3 convolutions with squeeze-and-excitation.

    The excitation depends on the channel means and on the conditioning vector, and has a scale and a shift.
    """

    def __init__(self, width: int, squeeze: int) -> None:
        super().__init__()
        middle = max(width // squeeze, 1)
        self.first = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.first_norm = nn.BatchNorm2d(width)
        self.second = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.second_norm = nn.BatchNorm2d(width)
        self.squeeze = nn.Linear(width, middle)
        self.condition = nn.Linear(CONDITIONING_WIDTH, middle, bias=False)
        self.excite = nn.Linear(middle, 2 * width)

    def forward(self, x: Tensor, conditioning: Tensor) -> Tensor:
        y = functional.relu(self.first_norm(self.first(x)))
        y = self.second_norm(self.second(y))
        middle = functional.relu(self.squeeze(y.mean((2, 3))) + self.condition(conditioning))
        scale, shift = self.excite(middle)[:, :, None, None].chunk(2, dim=1)
        return functional.relu(x + y * torch.sigmoid(scale) + shift)


class ResidualTower(nn.Module):
    """Convolutional tower: [n, planes, rows, columns] to [n, width, rows, columns].

    Works for any board size.
    """

    def __init__(self, part: NetworkConfig, layout: NetworkLayout) -> None:
        super().__init__()
        self.stem = nn.Conv2d(layout.planes, part.width, 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(part.width)
        self.blocks = nn.ModuleList(ResidualBlock(part.width, part.se_ratio) for _ in range(part.blocks))

    def forward(self, planes: Tensor, conditioning: Tensor) -> Tensor:
        x = functional.relu(self.stem_norm(self.stem(planes)))
        for block in self.blocks:
            x = block(x, conditioning)
        return x


class AttentionBlock(nn.Module):
    """Transformer block over squares: [n, cells, width] to the same shape.

    Attention scores have a learned bias per head and pair of squares, and with `smolgen_size` > 0 Lc0's
    smolgen: a bias generated from the whole board. The conditioning vector is added in the feed-forward
    layer.
    """

    def __init__(self, part: NetworkConfig, cells: int) -> None:
        super().__init__()
        self.heads, self.smolgen_size = part.heads, part.smolgen_size
        ffn_width = part.ffn_multiplier * part.width
        self.attention_norm = nn.LayerNorm(part.width)
        self.qkv = nn.Linear(part.width, 3 * part.width)
        self.attention_out = nn.Linear(part.width, part.width)
        self.attention_bias = nn.Parameter(torch.zeros(part.heads, cells, cells))
        if part.smolgen_size:
            self.smolgen_compress = nn.Linear(part.width, SMOLGEN_CHANNELS, bias=False)
            self.smolgen_dense = nn.Linear(SMOLGEN_CHANNELS * cells, SMOLGEN_HIDDEN)
            self.smolgen_norm = nn.LayerNorm(SMOLGEN_HIDDEN)
            self.smolgen_generate = nn.Linear(SMOLGEN_HIDDEN, part.heads * part.smolgen_size)
        self.ffn_norm = nn.LayerNorm(part.width)
        self.first = nn.Linear(part.width, ffn_width)
        self.condition = nn.Linear(CONDITIONING_WIDTH, ffn_width, bias=False)
        self.second = nn.Linear(ffn_width, part.width)

    def forward(self, x: Tensor, conditioning: Tensor, smolgen_weights: Tensor | None) -> Tensor:
        n, cells, width = x.shape
        y = self.attention_norm(x)
        query, key, value = self.qkv(y).view(n, cells, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        bias = self.attention_bias
        if smolgen_weights is not None:
            board = functional.relu(self.smolgen_dense(self.smolgen_compress(y).flatten(1)))
            generated = self.smolgen_generate(self.smolgen_norm(board)).view(n, self.heads, self.smolgen_size)
            bias = bias + (generated @ smolgen_weights).view(n, self.heads, cells, cells)
        attended = functional.scaled_dot_product_attention(query, key, value, attn_mask=bias.to(query.dtype))
        x = x + self.attention_out(attended.transpose(1, 2).reshape(n, cells, width))
        hidden = functional.relu(self.first(self.ffn_norm(x)) + self.condition(conditioning)[:, None])
        output: Tensor = x + self.second(hidden)
        return output


class AttentionTower(nn.Module):
    """Attention tower: [n, planes, rows, columns] to [n, width, rows, columns], for one board size."""

    def __init__(self, part: NetworkConfig, layout: NetworkLayout) -> None:
        super().__init__()
        self.embed = nn.Linear(layout.planes, part.width)
        self.position_embedding = nn.Parameter(torch.zeros(layout.cells, part.width))
        self.condition = nn.Linear(CONDITIONING_WIDTH, part.width, bias=False)
        self.smolgen_weights = (
            nn.Parameter(torch.randn(part.smolgen_size, layout.cells**2) * 0.02)
            if part.smolgen_size
            else None
        )
        self.blocks = nn.ModuleList(AttentionBlock(part, layout.cells) for _ in range(part.blocks))
        self.norm = nn.LayerNorm(part.width)

    def forward(self, planes: Tensor, conditioning: Tensor) -> Tensor:
        rows, columns = planes.shape[2:]
        x = (
            self.embed(planes.flatten(2).transpose(1, 2))
            + self.position_embedding
            + self.condition(conditioning)[:, None]
        )
        for block in self.blocks:
            x = block(x, conditioning, self.smolgen_weights)
        squares: Tensor = self.norm(x).transpose(1, 2)
        return squares.reshape(squares.shape[0], -1, rows, columns)


class FromToHead(nn.Module):
    """Lc0's attention policy: a move's logit is the product of the from-square's query and the to-square's
    key.

    Input: [n, width, 8, 8]. Output: [n, 1858] logits in Lc0's order.
    """

    move_indices: Tensor
    """[1858]: indices into from-to scores and promotions."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.query = nn.Linear(width, QUERY_WIDTH)
        self.key = nn.Linear(width, QUERY_WIDTH)
        self.promotion = nn.Linear(QUERY_WIDTH, 3, bias=False)
        self.register_buffer("move_indices", torch.from_numpy(attention_policy_map()))

    def forward(self, x: Tensor) -> Tensor:
        squares = x.flatten(2).transpose(1, 2)
        key = self.key(squares)
        scores = self.query(squares) * QUERY_WIDTH**-0.5 @ key.transpose(1, 2)
        promotions = scores[:, 48:56, 56:64, None] + self.promotion(key[:, 56:64])[:, None]
        return torch.cat([scores.flatten(1), promotions.flatten(1)], dim=1).index_select(1, self.move_indices)


class PlanesHead(nn.Module):
    """A plane per kind of move, as in dlshogi: [n, width, rows, columns] to [n, kinds * cells] logits."""

    def __init__(self, width: int, kinds: int) -> None:
        super().__init__()
        self.convolution = nn.Conv2d(width, kinds, 1)

    def forward(self, x: Tensor) -> Tensor:
        moves: Tensor = self.convolution(x).flatten(1)
        return moves


class PointsHead(nn.Module):
    """A logit per point and one for a pass: [n, width, rows, columns] to [n, cells + 1] logits."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.middle = nn.Conv2d(width, 32, 1)
        self.point = nn.Conv2d(32, 1, 1)
        self.passing = nn.Linear(width, 1)

    def forward(self, x: Tensor) -> Tensor:
        points = self.point(functional.relu(self.middle(x))).flatten(1)
        return torch.cat([points, self.passing(x.mean((2, 3)))], dim=1)


class FactHeads(nn.Module):
    """Ownership of the points, and the lead that follows from it.

    Inputs: the tower's output [n, width, rows, columns], the value head's hidden layer [n, 64], and komi for
    the player to move in points [n]. Outputs: ownership [n, points] from 1 (the player to move) to -1, the
    lead [n, 1] in points, and what it adds to the logits of the result [n, 3]. The lead is the sum of the
    ownership and komi with a learned correction, so that it holds on every board size.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.middle = nn.Conv2d(width, 32, 1)
        self.owner = nn.Conv2d(32, 1, 1)
        self.correction = nn.Linear(CONDITIONING_WIDTH, 1)
        self.to_result = nn.Linear(1, 3, bias=False)
        nn.init.zeros_(self.correction.weight)
        nn.init.zeros_(self.correction.bias)
        nn.init.zeros_(self.to_result.weight)

    def forward(self, x: Tensor, hidden: Tensor, komi: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        owner = self.owner(functional.relu(self.middle(x))).flatten(1).float().tanh()
        lead = owner.sum(dim=1, keepdim=True) + komi[:, None] + self.correction(hidden).float()
        return owner, lead, self.to_result(lead * LEAD_SCALE)


class PolicyValueNetwork(nn.Module):
    """Policy and value network.

    Inputs: `planes` [n, planes, rows, columns] uint8 and `context` [n, 6 or more] float. Outputs: policy
    logits [n, moves] and logits of win, draw and loss [n, 3]; with facts also ownership [n, points] and lead
    [n, 1].
    """

    scales: Tensor

    def __init__(self, part: NetworkConfig, layout: NetworkLayout) -> None:
        super().__init__()
        self.register_buffer("scales", _scales(layout))
        self.context = ContextEncoder(part)
        tower = AttentionTower if part.kind == "attention" else ResidualTower
        self.tower = tower(part, layout)
        self.policy: nn.Module
        if layout.head == "from-to":
            self.policy = FromToHead(part.width)
        elif layout.head == "points":
            self.policy = PointsHead(part.width)
        else:
            self.policy = PlanesHead(part.width, layout.moves // layout.cells)
        self.value_embed = nn.Linear(part.width, CONDITIONING_WIDTH)
        self.condition = nn.Linear(CONDITIONING_WIDTH, CONDITIONING_WIDTH, bias=False)
        self.result = nn.Linear(CONDITIONING_WIDTH, 3)
        self.facts = FactHeads(part.width) if part.facts else None
        self.komi_unit = layout.points.unit if layout.points else 0.0

    def forward(self, planes: Tensor, context: Tensor) -> tuple[Tensor, ...]:
        conditioning = self.context(context)
        x = self.tower(planes.to(self.scales.dtype) * self.scales, conditioning)
        value_hidden = functional.relu(self.value_embed(x.mean((2, 3))) + self.condition(conditioning))
        result = self.result(value_hidden)
        if self.facts is None:
            return self.policy(x), result
        owner, lead, of_lead = self.facts(x, value_hidden, context[:, CONTEXT] * self.komi_unit)
        return self.policy(x), result + of_lead, owner, lead


def make_network(config: TrainingConfig) -> PolicyValueNetwork | GeometricNetwork:
    """Returns the configured network with random weights."""
    kind = GeometricNetwork if config.network.kind == "geometric" else PolicyValueNetwork
    return kind(config.network, layout_of(config))


class RMSNorm(nn.Module):
    """RMS norm over the last dimension, in float32."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        y = x.float()
        scaled = y * torch.rsqrt(y.square().mean(-1, keepdim=True) + 1e-5)
        return scaled.to(x.dtype) * self.weight.to(x.dtype)


class QuantisedLinear(nn.Linear):
    """A linear layer that can train as it will run: with inputs in 8 bits and weights in 7.

    Rounding has the gradient of the clipping (straight-through estimator).
    """

    limit: Tensor
    """Largest input in 8 bits."""

    def __init__(self, inputs: int, outputs: int, bias: bool = True) -> None:
        super().__init__(inputs, outputs, bias)
        self.register_buffer("limit", torch.zeros(()), persistent=False)
        self.in_8_bits = False

    def forward(self, x: Tensor) -> Tensor:
        if not self.in_8_bits:
            return super().forward(x)
        return functional.linear(self._rounded_input(x), self._rounded_weight(), self.bias)

    def _rounded_input(self, x: Tensor) -> Tensor:
        step, y = self.limit / 127, x.float()
        clipped = torch.minimum(torch.maximum(y, -128 * step), 127 * step)
        return (clipped + ((clipped / step).round() * step - clipped).detach()).to(x.dtype)

    def _rounded_weight(self) -> Tensor:
        """The weights with one scale per output."""
        step = self.weight.detach().abs().amax(1, keepdim=True).clamp(min=1e-12) / MAX_WEIGHT
        return self.weight + ((self.weight / step).round() * step - self.weight).detach()


class GeometricBlock(nn.Module):
    """Transformer block over squares: [n, cells, width] to the same shape.

    Each board mixes shared templates [cells * cells, TEMPLATES] into an attention bias for every head.
    Attention and feed-forward layer are each followed by an RMS norm.
    """

    def __init__(self, part: NetworkConfig) -> None:
        super().__init__()
        width, self.heads = part.width, part.heads
        ffn_width = part.ffn_multiplier * width
        self.qkv = QuantisedLinear(width, 3 * width, bias=False)
        self.project = QuantisedLinear(width, width, bias=False)
        self.ffn_in = QuantisedLinear(width, ffn_width)
        self.ffn_out = QuantisedLinear(ffn_width, width)
        self.norm1, self.norm2 = RMSNorm(width), RMSNorm(width)
        self.compress = nn.Linear(width, COMPRESSED)
        self.compress_norm = nn.LayerNorm(COMPRESSED)
        self.mix = nn.Linear(COMPRESSED, part.heads * TEMPLATES)
        self.mix_norm = nn.LayerNorm(part.heads * TEMPLATES)

    def forward(self, x: Tensor, templates: Tensor) -> Tensor:
        n, cells, width = x.shape
        board = self.compress_norm(functional.gelu(self.compress(x.mean(1))))
        mixed = self.mix_norm(functional.gelu(self.mix(board))).view(n, self.heads, TEMPLATES)
        bias = (mixed.to(x.dtype) @ templates.to(x.dtype).t()).view(n, self.heads, cells, cells)
        query, key, value = self.qkv(x).view(n, cells, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        scores = (query @ key.transpose(-1, -2)) * (width // self.heads) ** -0.5 + bias
        attended = (scores.softmax(-1).to(value.dtype) @ value).transpose(1, 2).reshape(n, cells, width)
        x = self.norm1(x + self.project(attended))
        output: Tensor = self.norm2(x + self.ffn_out(functional.gelu(self.ffn_in(x))))
        return output


class GeometricTower(nn.Module):
    """Blocks with shared templates, and a final norm: [n, cells, width] to the same shape."""

    def __init__(self, part: NetworkConfig, cells: int) -> None:
        super().__init__()
        self.templates = nn.Parameter(torch.randn(cells * cells, TEMPLATES) * 0.02)
        self.blocks = nn.ModuleList(GeometricBlock(part) for _ in range(part.blocks))
        self.norm = nn.LayerNorm(part.width)

    def forward(self, x: Tensor) -> Tensor:
        for block in self.blocks:
            x = block(x, self.templates)
        squares: Tensor = self.norm(x)
        return squares


class _SelectColumns(torch.autograd.Function):
    """Selects distinct columns. The gradient is another selection, which is faster than a scattered sum."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, columns: Tensor, inverse: Tensor) -> Tensor:
        ctx.save_for_backward(inverse)
        return x.index_select(1, columns)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        (inverse,) = ctx.saved_tensors
        return functional.pad(grad, (0, 1)).index_select(1, inverse), None, None


class GeometricNetwork(nn.Module):
    """Policy and value network for chess, with the inputs and outputs of `PolicyValueNetwork`.

    Ratings and clock become hat functions over KNOTS knots, which are embedded and added to every square. The
    policy is Lc0's from-to product in float32; bfloat16 is too coarse for it.
    """

    scales: Tensor
    enabled: Tensor
    knots: Tensor
    move_indices: Tensor
    inverse: Tensor
    """Of `move_indices`: the move of each from-to score; the number of moves where there is none."""

    def __init__(self, part: NetworkConfig, layout: NetworkLayout) -> None:
        super().__init__()
        width = part.width
        self.register_buffer("scales", _scales(layout))
        self.register_buffer("enabled", _enabled(part))
        self.register_buffer("knots", torch.arange(KNOTS, dtype=torch.float32))
        self.embed = nn.Linear(layout.planes, width)
        self.squares = nn.Parameter(torch.zeros(layout.cells, width))
        self.conditioning = nn.Linear(3 * KNOTS + 2, width, bias=False)
        self.tower = GeometricTower(part, layout.cells)
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width, bias=False)
        self.promotion = nn.Linear(width, 3, bias=False)
        self.value_norm = nn.LayerNorm(width)
        self.value_embed = nn.Linear(width, width)
        self.result = nn.Linear(width, 3)
        columns = torch.from_numpy(attention_policy_map())
        inverse = torch.full((layout.cells**2 + 8 * 8 * 3,), len(columns), dtype=torch.long)
        inverse[columns] = torch.arange(len(columns))
        self.register_buffer("move_indices", columns, persistent=False)
        self.register_buffer("inverse", inverse, persistent=False)
        self._initialise()

    def _initialise(self) -> None:
        """Random weights that keep the size of activations; policy and value start out uniform."""
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.normal_(module.weight, std=module.in_features**-0.5)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
        nn.init.normal_(self.embed.weight, std=0.2)
        nn.init.normal_(self.squares, std=0.2)
        blocks = len(self.tower.blocks)
        for block in self.tower.blocks:
            assert isinstance(block, GeometricBlock)
            for layer in (block.project, block.ffn_out):
                nn.init.normal_(layer.weight, std=(2 * blocks * layer.in_features) ** -0.5)
        nn.init.normal_(self.query.weight, std=0.02)
        nn.init.zeros_(self.promotion.weight)
        nn.init.zeros_(self.result.weight)

    def forward(self, planes: Tensor, context: Tensor) -> tuple[Tensor, Tensor]:
        tokens = (planes.to(self.scales.dtype) * self.scales).flatten(2).transpose(1, 2)
        x = self.embed(tokens)
        x = x + self.squares.to(x.dtype) + self.conditioning(self._encoded(context))[:, None].to(x.dtype)
        x = self.tower(x)
        size = self.query.out_features
        query, key = self.query(x), self.key(x)
        with torch.autocast(x.device.type, enabled=False):
            scores = query.float() @ key.float().transpose(1, 2) * size**-0.5
        extra = self.promotion(key[:, 56:]).float() * size**0.5
        promotions = scores[:, 48:56, 56:64, None] + extra[:, None]
        both = torch.cat([scores.flatten(1), promotions.flatten(1)], dim=1)
        policy: Tensor = _SelectColumns.apply(both, self.move_indices, self.inverse)  # type: ignore[no-untyped-call]
        return policy, self.result(functional.relu(self.value_embed(self.value_norm(x.mean(1)))))

    def _encoded(self, context: Tensor) -> Tensor:
        """Context [n, 6] as [n, 3 * KNOTS + 2]: hats of both ratings, clock, its flag, hats of the clock."""
        values, known = context[:, 0::2], context[:, 1::2] * self.enabled
        hats = (1 - (values[:, :, None] * (KNOTS - 1) - self.knots).abs()).relu() * known[:, :, None]
        clock = torch.stack([values[:, 2] * known[:, 2], known[:, 2]], dim=1)
        return torch.cat([hats[:, :2].flatten(1), clock, hats[:, 2]], dim=1)

    def quantised_layers(self) -> dict[str, QuantisedLinear]:
        """Returns the layers that can run in 8 bits, by name."""
        return {n: layer for n, layer in self.named_modules() if isinstance(layer, QuantisedLinear)}

    def input_ranges(self) -> dict[str, float]:
        """Returns the largest input of each layer in 8 bits; empty while they run in float."""
        return {n: float(layer.limit) for n, layer in self.quantised_layers().items() if layer.in_8_bits}

    def use_ranges(self, ranges: dict[str, float]) -> None:
        """Switches layers to 8 bits with these `input_ranges`."""
        layers = self.quantised_layers()
        for name, limit in ranges.items():
            layers[name].limit.fill_(limit)
            layers[name].in_8_bits = True

    @torch.no_grad()
    def quantise(self, planes: Tensor, context: Tensor) -> None:
        """Switches the blocks' layers to 8 bits. The ranges of their inputs are those of an example."""
        layers, ranges = self.quantised_layers(), dict[str, float]()
        generator = torch.Generator().manual_seed(0)

        def measure(name: str, inputs: tuple[Tensor, ...]) -> None:
            values = inputs[0].detach().abs().flatten().float()
            if len(values) > _RANGE_SAMPLE:
                chosen = torch.randint(len(values), (_RANGE_SAMPLE,), generator=generator)
                values = values[chosen.to(values.device)]
            ranges[name] = _RANGE_MARGIN * float(values.kthvalue(int(_RANGE_SHARE * len(values))).values)

        hooks = [
            layer.register_forward_pre_hook(lambda _, inputs, name=name: measure(name, inputs))
            for name, layer in layers.items()
        ]
        self(planes, context)
        for hook in hooks:
            hook.remove()
        self.use_ranges(ranges)
