// An approximate infostate of the DSMCP paper: at most l possible boards of a player, the true one among
// them. Playouts and particles hold one for each player.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "game/random.hpp"
#include "rbc/board_set.hpp"
#include "rbc/synopsis.hpp"

namespace sparring::rbc {

/// A request on a board and what becomes of it.
struct MoveOutcome {
    Move request = pass;
    Move taken = pass;
    std::optional<Square> captured;

    static MoveOutcome of(const Board& board, Move request);
};

class Infostate {
 public:
    Infostate() = default;
    Infostate(const KnownSide& known, std::vector<HiddenSide> boards)
        : known_(known), boards_(std::move(boards)) {}

    const KnownSide& known() const { return known_; }
    const std::vector<HiddenSide>& boards() const { return boards_; }
    const SynopsisContext& context() const { return context_; }
    void set_context(const SynopsisContext& context) { context_ = context; }
    /// What the player remembers of its previous turn; none in the first.
    void remember(const RememberedPlanes& planes) { previous_ = planes; }
    const std::optional<RememberedPlanes>& previous() const { return previous_; }

    /// The player senses: boards that look different from `truth` in the window go. `action` may be no_sense.
    void sense(Move action, const HiddenSide& truth);
    /// The player moves: boards on which the request has another outcome go.
    void move(const MoveOutcome& outcome);
    /// The opponent moves: a uniform sample of exactly `limit` of the distinct boards that can follow, or all
    /// if there are fewer. `truth` is among them.
    void reply(std::optional<Square> captured, const HiddenSide& truth, std::size_t limit, Random& random);

    /// The undominated senses, or no_sense if the boards look alike; at the move the requests with promotions
    /// to queens only, and the pass.
    void actions(MoveList& list) const;

    /// A key of the set and the phase for N and Q; the order of the boards does not matter.
    std::uint64_t key() const;
    Synopsis synopsis() const;

    /// Whether the king can be captured for certain in this turn. A cheap form of the tests of
    /// analysis.hpp: it finds a piece that attacks the king on all boards with the same king's square, and
    /// at the sense one window that shows all those squares. What it finds is certain; it misses lines on
    /// which a slider attacks kings on several squares.
    bool wins() const;

 private:
    KnownSide known_;
    std::vector<HiddenSide> boards_;
    SynopsisContext context_;
    std::optional<RememberedPlanes> previous_;
};

/// `limit` of the boards drawn without repetition, or all; `truth` is among them.
std::vector<HiddenSide> sample_with(const BoardSet& boards, const HiddenSide& truth, std::size_t limit,
                                    Random& random);

}  // namespace sparring::rbc
