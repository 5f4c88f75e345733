// How dlshogi's networks see a shogi position and number its moves. Planes and squares are those of
// the Board, turned by half a turn when White is to move, so that the side to move plays upwards.
#pragma once

#include <cstddef>
#include <optional>

#include "game/state.hpp"
#include "shogi/position.hpp"

namespace sparring::shogi::dlshogi {

/// The first input, for the side to move and then for the other: where its pieces of each Kind are,
/// what each Kind attacks, and which squares at least one, two and three of its pieces attack.
constexpr std::size_t board_planes = 62;
/// The second input, planes of one value: the two hands, a plane a piece up to a limit; in check.
constexpr std::size_t hand_planes = 57;
constexpr std::size_t plane_size = num_squares;

/// Both inputs of a position; what they held before must be zero.
void encode(const Board& board, float* pieces, float* hands);

/// The network's policy: ten directions, the same with promotion, seven kinds of drop; each by square.
constexpr std::size_t labels = 27 * plane_size;

/// The label of a legal move, or nothing for the declaration of a win, which has none.
std::optional<std::size_t> label(const Board& board, Move move);

/// The move that a label means here: the first piece that stands in its direction. It need not be
/// legal; nothing where no piece of the side to move stands there or in hand.
std::optional<Move> move(const Board& board, std::size_t label);

}  // namespace sparring::shogi::dlshogi
