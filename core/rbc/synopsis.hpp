// The synopsis of a set of possible boards (section 5.1, tables 9 and 10 of the DSMCP paper): 104 planes of
// 64 bits, each the AND or the OR over the boards of a feature of one board.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "rbc/hidden.hpp"

namespace sparring::rbc {

constexpr std::size_t synopsis_size = 104;
using Synopsis = std::array<Bitboard, synopsis_size>;

/// How a plane comes from the boards.
enum class Fold {
    constant,  // of nothing
    known,     // the same on every board
    every,     // AND: the feature is there on every board
    some,      // OR: it is there on some board
    piece,     // OR over the player's pieces of the AND over the boards
};
std::string_view fold_name(Fold fold);

struct PlaneInfo {
    std::string_view name;
    Fold fold;
    std::string_view meaning;
};

/// The one list of planes: what they are called in the paper, how they are made, and what they mean here.
extern const std::array<PlaneInfo, synopsis_size> synopsis_planes;

/// What a player remembers beside the boards.
struct SynopsisContext {
    bool moving = false;                       // whether it is to move; otherwise to sense
    std::optional<Square> last_from, last_to;  // its own last move
    std::optional<Square> last_own_capture;    // where its last move captured
    std::optional<Square> last_opposing_capture;
};

/// The synopsis of boards with the same known side, of which there must be one at least. Planes are seen by
/// the player: its own first rank is rank 1. `previous` is the synopsis of its turn before, where there was
/// one.
Synopsis compute_synopsis(const KnownSide& known, std::span<const HiddenSide> boards,
                          const SynopsisContext& synopsis_context, const Synopsis* previous);

}  // namespace sparring::rbc
