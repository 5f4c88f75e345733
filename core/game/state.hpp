// State: an immutable position together with the line of play before it.
//
// A game supplies a Position: a plain value with the rules that need no history. State keeps positions in a
// linked list, from each position to the one before it. States share the common part of their lines, so
// playing a move is one allocation. Rules about the history (repetition, superko) and encoders of earlier
// boards walk back along `previous`. Positions are copied, not made and unmade: a network evaluates every
// node of a tree, which costs a thousand times as much as a copy, and Python may hold a state as long as it
// likes.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "game/errors.hpp"
#include "game/move.hpp"
#include "game/outcome.hpp"

namespace sparring {

/// One position in a line of play.
template <class P>
struct Node {
    P position;
    std::shared_ptr<const Node> previous;  // null at the start of the line
    Move move = 0;                         // played in `previous`
    std::uint32_t ply = 0;                 // moves since the start of the line
    Outcome outcome;

    Node(const P& p, std::shared_ptr<const Node> before, Move m)
        : position(p), previous(std::move(before)), move(m), ply(previous ? previous->ply + 1 : 0) {}
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;

    /// Frees a long line in a loop; the default destructor would recurse. The destructor of each node of the
    /// line only hands its `previous` to the loop of the first. Reference counts decide alone which nodes
    /// are freed, so that threads may share a line.
    ~Node() {
        if (!previous) return;
        static thread_local std::shared_ptr<const Node> next;
        static thread_local bool freeing = false;
        next = std::move(previous);
        if (freeing) return;
        freeing = true;
        while (next) const auto freed = std::move(next);
        freeing = false;
    }
};

/// The interface of a game. `moves` and `play` see the position only; `outcome` and `legal_moves` see the
/// line.
template <class P>
concept GamePosition =
    std::equality_comparable<P> && requires(const P p, P q, Move m, MoveList& list, std::string_view text,
                                            const Node<P>& node, float* planes) {
        { P::parse(text) } -> std::same_as<P>;
        { p.text() } -> std::same_as<std::string>;
        { p.parse_move(text) } -> std::same_as<Move>;  // need not be legal
        { p.move_text(m) } -> std::same_as<std::string>;
        { p.side() } -> std::same_as<Player>;
        { p.key() } -> std::same_as<std::uint64_t>;   // compared by the repetition rule
        { p.hash() } -> std::same_as<std::uint64_t>;  // agrees with ==
        { p.moves(list) } -> std::same_as<void>;
        { q.play(m) } -> std::same_as<void>;
        { p.shape() } -> std::same_as<std::array<std::size_t, 3>>;  // planes, rows, columns
        { p.encode(planes) } -> std::same_as<void>;                 // values in [0, 1]
        { P::outcome(node) } -> std::same_as<Outcome>;
        { P::legal_moves(node, list) } -> std::same_as<void>;
    };

template <GamePosition P>
class State {
 public:
    explicit State(const P& start) : node_(finish(std::make_shared<Node<P>>(start, nullptr, 0))) {}

    const P& position() const { return node_->position; }
    const Node<P>& node() const { return *node_; }
    std::shared_ptr<const Node<P>> shared_node() const { return node_; }
    Outcome outcome() const { return node_->outcome; }

    /// The legal moves in ascending order; none if the game is over.
    void legal_moves(MoveList& list) const {
        list.clear();
        if (node_->outcome.over()) return;
        P::legal_moves(*node_, list);
        list.sort();
    }

    /// The state after a move. Throws IllegalMove if the move is not legal or the game is over.
    State play(Move move) const {
        if (node_->outcome.over()) {
            throw IllegalMove("the game is over: " + std::string(outcome().reason));
        }
        return play_past_end(move);
    }

    /// As `play`, also if the game is over by a rule about the history: recorded games may continue after a
    /// draw by repetition or by a move limit. Throws IllegalMove.
    State play_past_end(Move move) const {
        if (!is_legal(*node_, move)) {
            throw IllegalMove("illegal move " + position().move_text(move) + " in " + position().text());
        }
        return play_unchecked(move);
    }

    /// As `play`, without checks.
    State play_unchecked(Move move) const {
        auto next = std::make_shared<Node<P>>(position(), node_, move);
        next->position.play(move);
        return State(finish(std::move(next)));
    }

    /// States are equal if their positions are; the line does not count.
    bool operator==(const State& other) const {
        return node_ == other.node_ || position() == other.position();
    }

    bool has_previous() const { return node_->previous != nullptr; }
    State previous() const { return State(node_->previous); }

 private:
    explicit State(std::shared_ptr<const Node<P>> node) : node_(std::move(node)) {}

    /// Whether a move is legal: by P::is_legal if the game has it, else by listing the moves.
    static bool is_legal(const Node<P>& node, Move move) {
        if constexpr (requires {
                          { P::is_legal(node, move) } -> std::same_as<bool>;
                      }) {
            return P::is_legal(node, move);
        } else {
            MoveList list;
            P::legal_moves(node, list);
            return list.contains(move);
        }
    }

    static std::shared_ptr<const Node<P>> finish(std::shared_ptr<Node<P>> node) {
        node->outcome = P::outcome(*node);
        return node;
    }

    std::shared_ptr<const Node<P>> node_;
};

/// The number of occurrences of the newest position in the last `plies` plies of its line, itself included.
template <class P>
int occurrences(const Node<P>& node, std::uint32_t plies) {
    const auto key = node.position.key();
    int count = 1;
    const Node<P>* earlier = node.previous.get();
    for (std::uint32_t back = 1; earlier && back <= plies; ++back, earlier = earlier->previous.get()) {
        count += earlier->position.key() == key;
    }
    return count;
}

}  // namespace sparring
