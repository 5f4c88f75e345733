// Inputs and policy of dlshogi networks. The board is rotated by 180 degrees if White is to move, so that the
// side to move plays upwards.
#pragma once

#include <cstddef>
#include <optional>

#include "game/state.hpp"
#include "shogi/position.hpp"

namespace sparring::shogi::dlshogi {

/// The first input, for the side to move and then for the opponent: pieces by type, attacks by type, and
/// squares attacked by at least one, two and three pieces.
constexpr std::size_t board_planes = 62;
/// The second input, constant planes: the hands, one plane per piece up to a limit; check.
constexpr std::size_t hand_planes = 57;
constexpr std::size_t plane_size = num_squares;

/// Writes both inputs of a position to zeroed memory.
void encode(const Board& board, float* pieces, float* hands);

/// Policy labels: ten directions, the same with promotion, seven drops; each by target square.
constexpr std::size_t labels = 27 * plane_size;

/// The label of a legal move; nothing for the declaration of a win.
std::optional<std::size_t> label(const Board& board, Move move);

/// The move of a label: by the nearest piece in its direction. It need not be legal. Nothing if there is no
/// such piece on the board or in hand.
std::optional<Move> move(const Board& board, std::size_t label);

}  // namespace sparring::shogi::dlshogi
