// The synopsis of a set of possible boards (section 5.1, tables 9 and 10 of the DSMCP paper): 104 planes of
// 64 bits, each the AND or the OR over the boards of a feature of one board.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>

#include "rbc/hidden.hpp"

namespace sparring::rbc {

// The planes: the one list of their names, in order. The Python module and the documentation take names and
// numbers from here.

constexpr std::size_t synopsis_size = 104;

/// How a plane is computed from a feature of the boards.
enum class Fold {
    constant,  // the same for every set
    known,     // the same on every board of the set
    every,     // AND over the boards
    some,      // OR over the boards
    piece,     // OR over the player's pieces of the AND over the boards
};

constexpr std::string_view fold_name(Fold fold) {
    switch (fold) {
        case Fold::constant: return "constant";
        case Fold::known: return "known";
        case Fold::every: return "and";
        case Fold::some: return "or";
        case Fold::piece: return "and by piece";
    }
    return "";
}

struct PlaneInfo {
    std::string_view name;  // in the paper
    Fold fold;
    std::string_view meaning;
};

// Squares are seen from the player's side. Attacked squares may hold pieces of either side. The player's
// pawns attack only what they can capture, the opponent's pawns both of their diagonals. Queens count as
// bishops on diagonals and as rooks on ranks and files.
inline constexpr std::array<PlaneInfo, synopsis_size> synopsis_planes = {{
    {"East side", Fold::constant, "files e to h"},
    {"West side", Fold::constant, "files a to d"},
    {"South side", Fold::constant, "the player's half of the board"},
    {"North side", Fold::constant, "the opponent's half of the board"},
    {"Rank 1", Fold::constant, "the player's first rank"},
    {"Rank 8", Fold::constant, "the opponent's first rank"},
    {"A-file", Fold::constant, "the a-file"},
    {"H-file", Fold::constant, "the h-file"},
    {"Dark squares", Fold::constant, "the squares of the colour of the player's left corner"},
    {"Light squares", Fold::constant, "the others"},
    {"Stage (move or sense)", Fold::known, "all squares if the player is to move, none if it is to sense"},
    {"Not own piece", Fold::known, "squares without a piece of the player"},
    {"Own pawns", Fold::known, "the player's pawns"},
    {"Own knights", Fold::known, "the player's knights"},
    {"Own bishops", Fold::known, "the player's bishops"},
    {"Own rooks", Fold::known, "the player's rooks"},
    {"Own queens", Fold::known, "the player's queens"},
    {"Own king", Fold::known, "the player's king"},
    {"Definitely not opposing pieces", Fold::every, "squares without a piece of the opponent"},
    {"Definitely opposing pawns", Fold::every, "the opponent's pawns"},
    {"Definitely opposing knights", Fold::every, "the opponent's knights"},
    {"Definitely opposing bishops", Fold::every, "the opponent's bishops"},
    {"Definitely opposing rooks", Fold::every, "the opponent's rooks"},
    {"Definitely opposing queens", Fold::every, "the opponent's queens"},
    {"Definitely opposing king", Fold::every, "the opponent's king"},
    {"Possibly not opposing pieces", Fold::some, "squares without a piece of the opponent"},
    {"Possibly opposing pawns", Fold::some, "the opponent's pawns"},
    {"Possibly opposing knights", Fold::some, "the opponent's knights"},
    {"Possibly opposing bishops", Fold::some, "the opponent's bishops"},
    {"Possibly opposing rooks", Fold::some, "the opponent's rooks"},
    {"Possibly opposing queens", Fold::some, "the opponent's queens"},
    {"Possibly opposing kings", Fold::some, "the opponent's king"},
    {"Last from", Fold::known, "where the player's last move began"},
    {"Last to", Fold::known, "where it ended"},
    {"Last own capture", Fold::known, "where it captured"},
    {"Last opposing capture", Fold::known, "where the opponent's last move captured"},
    {"Definitely attackable", Fold::piece, "squares that the piece attacks"},
    {"Definitely attackable somehow", Fold::every, "squares that some piece of the player attacks"},
    {"Possibly attackable", Fold::some, "squares that some piece of the player attacks"},
    {"Definitely doubly attackable", Fold::piece, "squares that two such pieces attack"},
    {"Definitely doubly attackable somehow", Fold::every, "squares that two pieces of the player attack"},
    {"Possibly doubly attackable", Fold::some, "squares that two pieces of the player attack"},
    {"Definitely attackable by pawns", Fold::every,
     "what the player's pawns could capture, en passant included"},
    {"Possibly attackable by pawns", Fold::some,
     "what the player's pawns could capture, en passant included"},
    {"Definitely attackable by knights", Fold::known, "squares that the player's knights attack"},
    {"Definitely attackable by bishops", Fold::every, "squares that the player attacks on diagonals"},
    {"Possibly attackable by bishops", Fold::some, "squares that the player attacks on diagonals"},
    {"Definitely attackable by rooks", Fold::every, "squares that the player attacks on ranks and files"},
    {"Possibly attackable by rooks", Fold::some, "squares that the player attacks on ranks and files"},
    {"Possibly attackable without king", Fold::some,
     "squares that the player attacks with others than its king"},
    {"Possibly attackable without pawns", Fold::some,
     "squares that the player attacks with others than pawns"},
    {"Definitely attackable by opponent", Fold::every, "squares that some piece of the opponent attacks"},
    {"Possibly attackable by opponent", Fold::some, "squares that some piece of the opponent attacks"},
    {"Definitely doubly attackable by opp.", Fold::every, "squares that two pieces of the opponent attack"},
    {"Possibly doubly attackable by opp.", Fold::some, "squares that two pieces of the opponent attack"},
    {"Definitely attackable by opp. pawns", Fold::every, "the diagonals of the opponent's pawns"},
    {"Possibly attackable by opp. pawns", Fold::some, "the diagonals of the opponent's pawns"},
    {"Definitely attackable by opp. knights", Fold::every, "squares that the opponent's knights attack"},
    {"Possibly attackable by opp. knights", Fold::some, "squares that the opponent's knights attack"},
    {"Definitely attackable by opp. bishops", Fold::every, "squares that the opponent attacks on diagonals"},
    {"Possibly attackable by opp. bishops", Fold::some, "squares that the opponent attacks on diagonals"},
    {"Definitely attackable by opp. rooks", Fold::every,
     "squares that the opponent attacks on ranks and files"},
    {"Possibly attackable by opp. rooks", Fold::some, "squares that the opponent attacks on ranks and files"},
    {"Possibly attackable by opp. w/o king", Fold::some, "squares that it attacks with others than its king"},
    {"Possibly attackable by opp. w/o pawns", Fold::some, "squares that it attacks with others than pawns"},
    {"Possibly safe opposing king", Fold::some, "the opponent's king where the player does not attack it"},
    {"Squares the opponent may move to", Fold::some, "where the opponent's moves could end"},
    {"Possible castle state for opponent", Fold::some,
     "where the opponent's king would castle to, while it may"},
    {"Known squares", Fold::known, "squares that look the same on every board"},
    {"Own king's king-neighbors", Fold::known, "the squares around the player's king"},
    {"Own king's knight-neighbors", Fold::known, "the squares a knight's move from it"},
    {"Definitely opp. knights near king", Fold::every, "the opponent's knights on those"},
    {"Possibly opp. knights near king", Fold::some, "the opponent's knights on those"},
    {"Own king's bishop-neighbors", Fold::some, "squares that a bishop in the king's place would attack"},
    {"Definitely opp. bishops near king", Fold::every, "the opponent's bishops and queens on those"},
    {"Possibly opp. bishops near king", Fold::some, "the opponent's bishops and queens on those"},
    {"Own king's rook-neighbors", Fold::some, "squares that a rook in the king's place would attack"},
    {"Definitely opp. rooks near king", Fold::every, "the opponent's rooks and queens on those"},
    {"Possibly opp. rooks near king", Fold::some, "the opponent's rooks and queens on those"},
    {"All own pieces", Fold::known, "the player's pieces"},
    {"Definitely empty squares", Fold::every, "squares without any piece"},
    {"May castle eventually", Fold::known, "where the player's king would castle to, while it has the right"},
    {"Possibly may castle", Fold::some, "the same, where the way is free"},
    {"Definitely may castle", Fold::every, "the same, where the way is free"},
    {"Own queens' rook-neighbors", Fold::some, "squares that the player's queens attack on ranks and files"},
    {"Own queens' bishop-neighbors", Fold::some, "squares that the player's queens attack on diagonals"},
    {"Previous definitely not opp. pieces", Fold::known, "plane 18 of the turn before"},
    {"Previous definitely opp. pawns", Fold::known, "plane 19 of the turn before"},
    {"Previous definitely opp. knights", Fold::known, "plane 20 of the turn before"},
    {"Previous definitely opp. bishops", Fold::known, "plane 21 of the turn before"},
    {"Previous definitely opp. rooks", Fold::known, "plane 22 of the turn before"},
    {"Previous definitely opp. queens", Fold::known, "plane 23 of the turn before"},
    {"Previous definitely opp. king", Fold::known, "plane 24 of the turn before"},
    {"Previous possibly not opp. pieces", Fold::known, "plane 25 of the turn before"},
    {"Previous possibly opp. pawns", Fold::known, "plane 26 of the turn before"},
    {"Previous possibly opp. knights", Fold::known, "plane 27 of the turn before"},
    {"Previous possibly opp. bishops", Fold::known, "plane 28 of the turn before"},
    {"Previous possibly opp. rooks", Fold::known, "plane 29 of the turn before"},
    {"Previous possibly opp. queens", Fold::known, "plane 30 of the turn before"},
    {"Previous possibly opp. king", Fold::known, "plane 31 of the turn before"},
    {"Previous last from", Fold::known, "plane 32 of the turn before"},
    {"Previous last to", Fold::known, "plane 33 of the turn before"},
    {"Previous own capture", Fold::known, "plane 34 of the turn before"},
    {"Previous opposing capture", Fold::known, "plane 35 of the turn before"},
}};

/// The number of the plane with this name. An unknown name does not compile.
consteval std::size_t plane(std::string_view name) {
    for (std::size_t i = 0; i < synopsis_size; ++i) {
        if (synopsis_planes[i].name == name) return i;
    }
    throw std::invalid_argument("no such plane");
}

/// Whether every entry has a name of its own.
consteval bool planes_are_distinct() {
    for (std::size_t i = 0; i < synopsis_size; ++i) {
        if (synopsis_planes[i].name.empty() || plane(synopsis_planes[i].name) != i) return false;
    }
    return true;
}
static_assert(planes_are_distinct(), "the table has 104 distinct planes");

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
