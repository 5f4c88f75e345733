// Possible boards of blind chess for a browser: what core/bindings/rbc_board_set.cpp is for Python.
//
// A sense is an array of [square, FEN letter or null]; a square may be null where there is none.
#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "rbc/analysis.hpp"
#include "rbc/board_search.hpp"
#include "rbc/board_set.hpp"
#include "rbc/repair.hpp"
#include "values.hpp"

namespace sparring::browser {

namespace {

using rbc::BoardSet;
using rbc::Guess;
using rbc::Position;
using rbc::Square;
using S = State<Position>;

val shown(char symbol) { return symbol ? val(std::string(1, symbol)) : val::null(); }

val shown(std::optional<Square> square) { return square ? val(int{*square}) : val::null(); }

Square checked_square(int square) {
    if (square < 0 || square > 63) throw std::invalid_argument("a square must be from 0 (a1) to 63 (h8)");
    return square;
}

std::optional<Square> optional_square(const val& square) {
    if (square.isNull()) return std::nullopt;
    return checked_square(square.as<int>());
}

std::vector<rbc::SensedSquare> seen_pieces(const val& seen) {
    std::vector<rbc::SensedSquare> result;
    const auto count = seen["length"].as<std::size_t>();
    for (std::size_t i = 0; i < count; ++i) {
        const val letter = seen[i][1];
        result.push_back({checked_square(seen[i][0].as<int>()),
                          letter.isNull() ? char{0} : letter.as<std::string>().at(0)});
    }
    return result;
}

chess::Color checked_player(int player) {
    if (player != 0 && player != 1) throw std::invalid_argument("player must be 0 (White) or 1 (Black)");
    return static_cast<chess::Color>(player);
}

BoardSet of_state(const S& state, int player) {
    return guarded([&] { return BoardSet({state.position().board()}, checked_player(player)); });
}

/// Up to `count` boards drawn with a seed, as a set; the set itself if it has no more.
BoardSet sample(const BoardSet& boards, std::size_t count, std::uint32_t high, std::uint32_t low) {
    std::vector<chess::Board> drawn;
    for (const std::size_t i : boards.sample_indices(count, whole(high, low)))
        drawn.push_back(boards.board(i));
    return guarded([&] { return BoardSet(drawn, boards.known().player); });
}

/// One of the boards, drawn with a seed.
S draw(const BoardSet& boards, std::uint32_t high, std::uint32_t low) {
    return guarded(
        [&] { return S(Position(boards.board(boards.sample_indices(1, whole(high, low)).at(0)), false)); });
}

BoardSet after_opponent(const BoardSet& boards, const val& captured, const val& seen, double limit,
                        std::uint32_t high, std::uint32_t low) {
    return guarded([&] {
        const rbc::ExpansionLimits limits{static_cast<std::size_t>(limit), 1, whole(high, low)};
        return boards.after_opponent(optional_square(captured), seen_pieces(seen), limits);
    });
}

val sense_entropies(const BoardSet& boards) {
    std::vector<double> entropies;
    for (const auto& value : rbc::sense_values(boards, 1)) entropies.push_back(value.entropy);
    return copied("Float64Array", entropies);
}

/// The request that captures the king on every board, or null.
val winning_request(const BoardSet& boards) {
    const auto captures = rbc::king_captures(boards);
    return !captures.empty() && captures[0].boards == boards.size() ? val(int{captures[0].request})
                                                                    : val::null();
}

/// The first sense after which the king is captured for certain, or null.
val winning_sense(const BoardSet& boards) {
    const auto wins = rbc::wins_after_sense(boards, 1);
    for (Square s = 0; boards.size() && s < 64; ++s) {
        if (wins[static_cast<std::size_t>(s)] == boards.size()) return val(int{s});
    }
    return val::null();
}

val evaluate_requests(const BoardSet& boards, int depth, int margin) {
    return guarded([&] {
        const auto [requests, evaluations] = rbc::evaluate_requests(boards, depth, margin, 1);
        std::vector<std::int32_t> scores;
        std::vector<std::uint8_t> attacks;
        for (const auto& evaluation : evaluations) {
            scores.push_back(evaluation.score);
            attacks.push_back(evaluation.attacks);
        }
        val result = val::object();
        result.set("requests", copied("Uint16Array", requests));
        result.set("scores", copied("Int32Array", scores));
        result.set("attacks", copied("Uint8Array", attacks));
        return result;
    });
}

/// For each square the piece that stands there on every board: a FEN letter, null if none, ? if boards
/// differ.
val known_pieces(const BoardSet& boards) {
    val result = val::array();
    for (const char symbol : boards.known_pieces()) result.call<void>("push", shown(symbol));
    return result;
}

val piece_shares(const BoardSet& boards, std::size_t count) {
    std::vector<double> flat;
    for (const auto& squares : boards.piece_shares(count))
        flat.insert(flat.end(), squares.begin(), squares.end());
    return copied("Float64Array", flat);
}

}  // namespace

val rbc_sense(const S& state, int centre) {
    return guarded([&] {
        val result = val::array();
        for (const auto& [square, symbol] :
             rbc::sense_result(state.position().board(), checked_square(centre))) {
            val pair = val::array();
            pair.call<void>("push", int{square});
            pair.call<void>("push", shown(symbol));
            result.call<void>("push", pair);
        }
        return result;
    });
}

val rbc_result_of(const S& state, int request) {
    return guarded([&] {
        const auto& board = state.position().board();
        const Move taken = rbc::taken(board, checked(request));
        val result = val::object();
        result.set("taken", int{taken});
        result.set("capture", shown(rbc::capture_square(board, taken)));
        return result;
    });
}

}  // namespace sparring::browser

EMSCRIPTEN_BINDINGS(sparring_rbc) {
    using namespace sparring;
    using namespace sparring::browser;
    emscripten::class_<BoardSet>("RbcBoards")
        .class_function("of", &of_state)
        .function("size", &BoardSet::size)
        .function("level", &BoardSet::level)
        .function(
            "toMove", +[](const BoardSet& b) { return static_cast<int>(b.known().turn); })
        .function("sample", &sample)
        .function("draw", &draw)
        .function(
            "subsample", +[](const BoardSet& b, std::size_t count, std::uint32_t high,
                             std::uint32_t low) { return b.keep(count, whole(high, low)); })
        .function(
            "union", +[](const BoardSet& b,
                         const BoardSet& other) { return guarded([&] { return b.united(other); }); })
        .function("afterOpponent", &after_opponent)
        .function(
            "afterSense",
            +[](const BoardSet& b, const val& seen) {
                return guarded([&] { return b.after_sense(seen_pieces(seen)); });
            })
        .function(
            "beforeMove",
            +[](const BoardSet& b, int request, int taken, const val& captured) {
                return guarded([&] {
                    return b.before_move(checked(request), checked(taken), optional_square(captured));
                });
            })
        .function(
            "afterMove",
            +[](const BoardSet& b, int request, int taken, const val& captured) {
                return guarded([&] {
                    return b.after_move(checked(request), checked(taken), optional_square(captured));
                });
            })
        .function(
            "repairCapture",
            +[](const BoardSet& b, const val& captured) {
                return guarded([&] { return rbc::repair_capture(b, optional_square(captured)); });
            })
        .function(
            "repairSense",
            +[](const BoardSet& b, const val& seen) {
                return guarded([&] { return rbc::repair_sense(b, seen_pieces(seen)); });
            })
        .function(
            "repairMove",
            +[](const BoardSet& b, int taken, const val& captured) {
                return guarded(
                    [&] { return rbc::repair_move(b, checked(taken), optional_square(captured)); });
            })
        .function("withKingAttacked", &BoardSet::with_king_attacked)
        .function(
            "undominatedSenses",
            +[](const BoardSet& b) { return copied("Int32Array", rbc::undominated_senses(b)); })
        .function("senseEntropies", &sense_entropies)
        .function(
            "partition",
            +[](const BoardSet& b, int square) {
                return guarded(
                    [&] { return copied("Uint32Array", rbc::partition(b, checked_square(square))); });
            })
        .function("winningRequest", &winning_request)
        .function("winningSense", &winning_sense)
        .function("evaluateRequests", &evaluate_requests)
        .function("knownPieces", &known_pieces)
        .function("pieceShares", &piece_shares);
    emscripten::class_<Guess>("RbcGuess")
        .class_function(
            "of",
            +[](int player, const S& start) {
                return guarded([&] { return Guess(checked_player(player), start.position().board()); });
            })
        .function(
            "state", +[](const Guess& g) { return S(Position(g.board(), false)); })
        .function(
            "opponentMoved",
            +[](Guess& g, const val& captured) { g.opponent_moved(optional_square(captured)); })
        .function(
            "sensed", +[](Guess& g, const val& seen) { g.sensed(seen_pieces(seen)); })
        .function(
            "moved", +[](Guess& g, int taken, const val& captured) {
                g.moved(checked(taken), optional_square(captured));
            });
}
