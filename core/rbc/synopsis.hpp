// The synopsis of a set of possible boards (section 5.1, tables 9 and 10 of the DSMCP paper): 104 planes of
// 64 bits, each the AND or the OR over the boards of a feature of one board.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "rbc/hidden.hpp"
#include "rbc/synopsis_planes.hpp"

namespace sparring::rbc {

using Synopsis = std::array<Bitboard, synopsis_size>;

/// Planes 18 to 35 of an earlier synopsis, which planes 86 to 103 repeat. The earlier synopsis is the one
/// with which the player chose the move of its previous turn, both at the sense and at the move of this turn.
using RememberedPlanes = std::array<Bitboard, 18>;
RememberedPlanes remembered_planes(const Synopsis& synopsis);

/// Facts of the game that the boards do not show.
struct SynopsisContext {
    bool moving = false;                       // whether the player is to move; else it is to sense
    std::optional<Square> last_from, last_to;  // the player's last move
    std::optional<Square> last_own_capture;    // the square on which that move captured
    std::optional<Square> last_opposing_capture;
};

/// The synopsis of at least one board with the same known side. Planes are seen by the player: its own first
/// rank is rank 1. `previous` is null in the player's first turn.
Synopsis compute_synopsis(const KnownSide& known, std::span<const HiddenSide> boards,
                          const SynopsisContext& synopsis_context, const RememberedPlanes* previous);

}  // namespace sparring::rbc
