"""Policy and value networks in PyTorch. `training.export` writes the same networks as ONNX graphs.

Shapes: n positions, `planes` input planes, `cells` = rows * columns squares, `width` channels.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from sparring.games import NetworkLayout
from sparring.networks.lc0.heads import attention_policy_map
from sparring.training.config import NetworkConfig

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


class ContextEncoder(nn.Module):
    """Encodes ratings and clock as a conditioning vector.

    Input: context [n, 6], see `networks.conditioned`. Output: [n, CONDITIONING_WIDTH]. A rating becomes hat
    functions over KNOTS knots. Inputs that the configuration does not use are multiplied by 0.
    """

    enabled: Tensor
    """[3]: 1 for the inputs in use (own rating, opponent's rating, clock), else 0."""
    knots: Tensor

    def __init__(self, part: NetworkConfig) -> None:
        super().__init__()
        enabled = [float(part.rating_range is not None)] * 2 + [float(part.clock)]
        self.register_buffer("enabled", torch.tensor(enabled))
        self.register_buffer("knots", torch.arange(KNOTS, dtype=torch.float32))
        self.project = nn.Linear(2 * KNOTS + 2, CONDITIONING_WIDTH)

    def forward(self, context: Tensor) -> Tensor:
        values, known = context[:, 0::2], context[:, 1::2] * self.enabled
        hats = (1 - (values[:, :2, None] * (KNOTS - 1) - self.knots).abs()).relu() * known[:, :2, None]
        clock = torch.stack([values[:, 2] * known[:, 2], known[:, 2]], dim=1)
        return functional.relu(self.project(torch.cat([hats.flatten(1), clock], dim=1)))


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


class PolicyValueNetwork(nn.Module):
    """Policy and value network.

    Inputs: `planes` [n, planes, rows, columns] uint8 and `context` [n, 6] float. Outputs: policy logits [n,
    moves] and logits of win, draw and loss [n, 3].
    """

    scales: Tensor
    """[planes, 1, 1]: factors of the input planes; counts are scaled to 0..1."""

    def __init__(self, part: NetworkConfig, layout: NetworkLayout) -> None:
        super().__init__()
        scales = torch.ones(layout.planes, 1, 1)
        for begin, end, most in layout.counts:
            scales[begin:end] = 1 / most
        self.register_buffer("scales", scales)
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

    def forward(self, planes: Tensor, context: Tensor) -> tuple[Tensor, Tensor]:
        conditioning = self.context(context)
        x = self.tower(planes.to(self.scales.dtype) * self.scales, conditioning)
        value_hidden = functional.relu(self.value_embed(x.mean((2, 3))) + self.condition(conditioning))
        return self.policy(x), self.result(value_hidden)
