// What the Expendibots report measures of a position (its section 3), and the weighted sum of it all.
//
// Each of 17 numbers is taken of the player to move and of the other, and their difference is a feature too.
// With the ratio of tokens and the shortest distance these are 53, of which each comes three times: as it is,
// for who is ahead in tokens, and for who is behind. With equal tokens the last two get half of it each.
//
// A feature's value is half of what the player to move sees less half of what the other one sees, so that a
// position is worth to one side what it costs the other. The report evaluates the mover's view alone, and
// searches to even depths so that all leaves have the same mover; quiescence ends its lines anywhere.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "expendibots/board.hpp"

namespace sparring::expendibots {

/// A board and the booms that led to it: the report's stages count them.
struct SearchState {
    Board board;
    int booms = 0;

    std::uint64_t key() const { return board.key; }
    void play(Move move) {
        booms += is_boom(move);
        board.apply(move);
    }
};

/// What is measured of a board, each number in its own unit: the mover's ratio and the other's, the shortest
/// distance, the mover's numbers, the other's, and zeros up to a multiple of four.
using Measured = std::array<float, 40>;
Measured measure(const Board& board);

enum Stage : int { opening, developing, middle, ending };

struct Features {
    using SearchState = expendibots::SearchState;

    static constexpr int stages = 4;
    static constexpr int per_player = 17;
    static constexpr int bases = 2 + 3 * per_player;  // ratio, closest; then own, other's, difference of each
    static constexpr int size = 3 * bases;            // as they are, ahead, behind

    /// The second boom begins the development and the fourth the middle game; at most 4 tokens on both sides
    /// are the ending, whatever came before.
    static int stage(const SearchState& search_state);
    static void extract_features(const SearchState& search_state, std::span<double> out);
    static std::vector<std::string> names();
    static std::vector<std::string> stage_names();

    /// The weights as a search needs them: for each stage and standing one sum over what is measured, since
    /// the copies and differences are linear in it.
    class Weights {
     public:
        explicit Weights(std::span<const double> plain);
        double value(const SearchState& search_state) const;

     private:
        static constexpr int measured =
            40;  // ratios of both, closest, the numbers of both; filled up to fours
        static constexpr int standings = 3;  // behind, level, ahead
        std::array<std::array<std::array<float, measured>, standings>, stages> folded_;
    };
};

}  // namespace sparring::expendibots
