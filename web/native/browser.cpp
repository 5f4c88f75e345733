// The core for a browser, by embind: rules, encodings, PUCT and alpha-beta of every game, for WebAssembly.
//
// What core/bindings is for Python, this file is for JavaScript. One class a game and kind: <Game>State,
// <Game>Positions (a batch for a network), <Game>Tree, and where a game has an evaluation <Game>Search.
// Objects live until JavaScript calls `delete()`. An exception of the core becomes a JavaScript Error.
#include <emscripten.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "breakthrough/encoding.hpp"
#include "breakthrough/evaluator.hpp"
#include "breakthrough/position.hpp"
#include "chess/encoding.hpp"
#include "chess/evaluation.hpp"
#include "chess/line_search.hpp"
#include "chess/position.hpp"
#include "expendibots/encoding.hpp"
#include "expendibots/endgame_tables.hpp"
#include "expendibots/evaluator.hpp"
#include "expendibots/network.hpp"
#include "expendibots/position.hpp"
#include "game/perft.hpp"
#include "game/playout.hpp"
#include "go/encoding.hpp"
#include "go/playout.hpp"
#include "go/playout_ownership.hpp"
#include "go/position.hpp"
#include "rbc/encoding.hpp"
#include "rbc/position.hpp"
#include "search/linear_evaluation.hpp"
#include "search/material_search.hpp"
#include "search/puct.hpp"
#include "search/searcher.hpp"
#include "shogi/encoding.hpp"
#include "shogi/evaluation.hpp"
#include "shogi/position.hpp"
#include "values.hpp"

namespace sparring::browser {

EM_JS(void, throw_error, (const char* text), { throw new Error(UTF8ToString(text)); });

std::string hexadecimal(std::uint64_t number) {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(number));
    return text;
}

template <GamePosition P>
std::string full_text(const P& position) {
    if constexpr (requires { position.full_text(); }) {
        return position.full_text();
    } else {
        return position.text();
    }
}

// States.

template <GamePosition P>
State<P> parse(const std::string& text) {
    return guarded([&] { return State<P>(P::parse(text)); });
}

template <GamePosition P>
State<P> play(const State<P>& state, int move) {
    return guarded([&] { return state.play(checked(move)); });
}

template <GamePosition P>
int parse_move(const State<P>& state, const std::string& text) {
    return guarded([&] { return static_cast<int>(state.position().parse_move(text)); });
}

template <GamePosition P>
val legal_moves(const State<P>& state) {
    MoveList list;
    state.legal_moves(list);
    return copied("Uint16Array", std::vector<std::uint16_t>(list.begin(), list.end()));
}

/// The result of a random game as text: `winner reason plies`, with winner -1 for a draw or no end.
template <GamePosition P>
std::string random_game(const State<P>& state, std::uint32_t seed, std::uint32_t limit) {
    const PlayoutResult result = playout(state, seed, limit);
    return std::to_string(result.outcome.winner) + " " + std::string(result.outcome.reason) + " " +
           std::to_string(result.plies);
}

// Batches for a network.

/// Positions that a network sees at once.
template <GamePosition P>
class Positions {
 public:
    void add(const State<P>& state) { states.push_back(state); }
    std::size_t size() const { return states.size(); }
    /// Moves before the position with an index.
    std::uint32_t ply(std::size_t index) const { return states.at(index).node().ply; }
    val legal_moves(std::size_t index) const;

    /// The encoding of all positions: a Uint8Array or a Float32Array.
    val encode(const std::string& encoding, int history) const {
        return guarded([&] {
            const Encoder<P>& encoder = of_name(encoding);
            return encoder.write_bytes
                       ? written<std::uint8_t>(encoder.write_bytes, encoder, history, "Uint8Array")
                       : written<float>(encoder.write_floats, encoder, history, "Float32Array");
        });
    }
    /// The shape of one encoded position.
    val shape(const std::string& encoding, int history) const {
        return guarded([&] {
            const auto extents = of_name(encoding).shape(states.at(0).position(), history);
            return copied("Uint32Array", std::vector<std::uint32_t>(extents.begin(), extents.end()));
        });
    }
    /// The probabilities of the legal moves of all positions, one position after the other, and where those
    /// of each position end. As `softmax` of core/bindings/policy.hpp.
    val decode(const val& logits, const std::string& encoding) const {
        return guarded([&] {
            const Encoder<P>& encoder = of_name(encoding);
            const std::vector<float> all = numbers<float>(logits);
            const std::size_t labels = all.size() / std::max<std::size_t>(states.size(), 1);
            std::vector<float> probabilities;
            std::vector<std::uint32_t> ends;
            std::vector<double> scores;
            MoveList list;
            for (std::size_t i = 0; i < states.size(); ++i) {
                const float* row = all.data() + i * labels;
                states[i].legal_moves(list);
                scores.clear();
                for (const Move move : list) scores.push_back(logit(encoder, i, move, row, labels));
                softmax(scores, probabilities);
                ends.push_back(static_cast<std::uint32_t>(probabilities.size()));
            }
            val result = val::object();
            result.set("probabilities", copied("Float32Array", probabilities));
            result.set("ends", copied("Uint32Array", ends));
            return result;
        });
    }

    std::vector<State<P>> states;

 private:
    static const Encoder<P>& of_name(const std::string& name) {
        const Encoder<P>* encoder = find_encoder<P>(name);
        if (!encoder) throw std::invalid_argument("unknown encoding '" + name + "'");
        return *encoder;
    }
    template <class T>
    val written(EncodeFunction<P, T> write, const Encoder<P>& encoder, int history, const char* type) const {
        std::size_t size = 1;
        for (const std::size_t extent : encoder.shape(states.at(0).position(), history)) size *= extent;
        std::vector<T> planes(size * states.size());
        for (std::size_t i = 0; i < states.size(); ++i) {
            write(states[i].node(), history, planes.data() + i * size);
        }
        return copied(type, planes);
    }
    double logit(const Encoder<P>& encoder, std::size_t i, Move move, const float* row,
                 std::size_t labels) const {
        const std::uint16_t label = encoder.label(states[i].position(), move);
        if (label == no_label) return std::numeric_limits<double>::infinity();
        if (label >= labels) throw std::invalid_argument("the policy is too short for this encoding");
        return static_cast<double>(row[label]);
    }
    static void softmax(const std::vector<double>& scores, std::vector<float>& probabilities) {
        if (scores.empty()) return;
        const double best = *std::max_element(scores.begin(), scores.end());
        const auto weight = [best](double score) { return score == best ? 1.0 : std::exp(score - best); };
        double total = 0;
        for (const double score : scores) total += weight(score);
        if (std::isnan(total)) throw std::invalid_argument("the policy logits contain NaN");
        for (const double score : scores) probabilities.push_back(static_cast<float>(weight(score) / total));
    }
};

template <GamePosition P>
val Positions<P>::legal_moves(std::size_t index) const {
    return browser::legal_moves(states.at(index));
}

// Searches.

/// A configuration from the keys that a JavaScript object has.
search::PuctConfig puct_config(const val& options) {
    search::PuctConfig config;
    std::apply(
        [&](const auto&... option) {
            const auto set = [&](const auto& one) {
                using T = std::remove_reference_t<decltype(config.*one.member)>;
                if (options.hasOwnProperty(one.name)) config.*one.member = options[one.name].template as<T>();
            };
            (set(option), ...);
        },
        search::PuctConfig::options());
    check_options(config);
    return config;
}

template <GamePosition P>
class Tree {
 public:
    Tree(const State<P>& root, const val& options)
        : tree_(root, guarded([&] { return puct_config(options); })) {}

    std::uint32_t visits() const { return tree_.visits(); }
    double value() const { return tree_.value(); }
    double lead() const { return static_cast<double>(tree_.lead()); }
    int max_depth() const { return static_cast<int>(tree_.max_depth()); }

    /// Up to `count` leaves to evaluate; empty if nothing is left to learn.
    Positions<P> select(std::size_t count, std::uint32_t visits) {
        return guarded([&] { return Positions<P>{.states = tree_.select(count, visits)}; });
    }
    void evaluate(const val& priors, const val& values) {
        const std::vector<float> shares = numbers<float>(priors), means = numbers<float>(values);
        guarded([&] {
            tree_.evaluate(shares, means);
            return 0;
        });
    }
    void cancel() { tree_.cancel(); }
    /// The statistics of the root's moves, one array each.
    val root_moves() const {
        std::vector<std::uint16_t> moves;
        std::vector<std::uint32_t> visits;
        std::vector<double> priors, values;
        std::vector<int> forced;
        for (const auto& move : tree_.root_moves()) {
            moves.push_back(move.move);
            priors.push_back(static_cast<double>(move.prior));
            visits.push_back(static_cast<std::uint32_t>(move.visits));
            values.push_back(move.value);
            forced.push_back(static_cast<int>(move.forced));
        }
        val result = val::object();
        result.set("moves", copied("Uint16Array", moves));
        result.set("priors", copied("Float64Array", priors));
        result.set("visits", copied("Uint32Array", visits));
        result.set("values", copied("Float64Array", values));
        result.set("forced", copied("Int32Array", forced));
        return result;
    }
    val pv(int first) const {
        return guarded([&] {
            const auto line = tree_.pv(checked(first));
            return copied("Uint16Array", std::vector<std::uint16_t>(line.begin(), line.end()));
        });
    }

 private:
    search::PuctTree<P> tree_;
};

/// Moves with scores: what alpha-beta gives.
val scored(const std::vector<search::ScoredMove>& moves) {
    std::vector<std::uint16_t> codes;
    std::vector<int> scores;
    for (const auto& [move, score] : moves) {
        codes.push_back(move);
        scores.push_back(score);
    }
    val result = val::object();
    result.set("moves", copied("Uint16Array", codes));
    result.set("scores", copied("Int32Array", scores));
    return result;
}

/// The legal moves by the alpha-beta search with a material evaluation, best first.
template <GamePosition P>
val alphabeta(const State<P>& state, double nodes, int margin) {
    MoveList list;
    state.legal_moves(list);
    return scored(search::material_search(state.node(), list, static_cast<std::uint64_t>(nodes), margin));
}

/// Alpha-beta with a linear evaluation; the transposition table is kept between searches.
template <GamePosition P, search::Evaluator E>
class LinearSearch {
 public:
    LinearSearch(const val& weights, std::size_t megabytes)
        : searcher_(E(std::span<const double>(numbers<double>(weights))), megabytes << 20) {}

    /// The moves with their scores, best first, in `scoreUnit`s of a hundredth of a win. `margin` is in
    /// hundredths of a win.
    val analyse(const State<P>& state, double nodes, double margin) {
        search::Limits limits;
        limits.nodes = static_cast<std::uint64_t>(nodes);
        search::SearchOptions options;
        options.margin = static_cast<int>(std::clamp(margin, 0.0, 200.0) * search::score_unit);
        const search::SearchResult found = searcher_.search(state.node(), limits, options, 1);
        val result = scored(found.moves);
        std::vector<double> values;
        for (const auto& [move, score] : found.moves) values.push_back(search::value_of(score));
        result.set("values", copied("Float64Array", values));
        result.set("depth", found.depth);
        const int best = std::abs(found.moves.front().score);
        result.set("pliesToEnd", best > search::decided_score ? val(search::win_score - best) : val::null());
        return result;
    }
    void clear() { searcher_.clear(); }
    /// Replaces the evaluator by a copy that `change` has modified.
    template <class Change>
    void update_evaluator(Change change) {
        E evaluator = searcher_.evaluator();
        change(evaluator);
        searcher_.set_evaluator(std::move(evaluator));
    }

 private:
    search::Searcher<P, E> searcher_;
};

// What only one game has.

State<chess::Position> chess_start(bool claim_draws) { return State(chess::Position(claim_draws)); }

State<chess::Position> chess_parse(const std::string& fen, bool claim_draws) {
    return guarded([&] {
        chess::Position position = chess::Position::parse(fen);
        position.set_claim_draws(claim_draws);
        return State(position);
    });
}

std::string chess_claim(const State<chess::Position>& state) {
    return std::string(chess::Position::claimable_draw(state.node()).reason);
}

/// The search of chess lines behind reviews. The transposition table is kept between searches.
class ChessLines {
 public:
    /// The layers of chess::ValueNetwork::Layers.
    ChessLines(const val& first, const val& first_bias, const val& last, const val& last_bias,
               std::size_t megabytes)
        : search_(guarded([&] { return network(first, first_bias, last, last_bias); }), megabytes << 20) {}

    /// The best line of a state whose game is not over: `moves`, and `score` in centipawns for the side to
    /// move; a mate is search::win_score less the plies to it.
    val best(const State<chess::Position>& state, double nodes) {
        search::Limits limits;
        limits.nodes = static_cast<std::uint64_t>(nodes);
        const chess::LineResult found = search_.search(state.node(), limits, 1, {});
        const chess::Line& line = found.lines.at(0);
        val result = val::object();
        result.set("moves",
                   copied("Uint16Array", std::vector<std::uint16_t>(line.moves.begin(), line.moves.end())));
        result.set("score", line.score);
        return result;
    }
    void clear() { search_.clear(); }

 private:
    static chess::ValueNetwork network(const val& first, const val& first_bias, const val& last,
                                       const val& last_bias) {
        const auto units = numbers<std::int16_t>(first), unit_biases = numbers<std::int16_t>(first_bias),
                   weights = numbers<std::int16_t>(last);
        const auto biases = numbers<std::int32_t>(last_bias);
        return chess::ValueNetwork({units, unit_biases, weights, biases});
    }

    chess::LineSearch search_;
};

State<go::Position> go_start(int size, double komi, const std::string& ko, bool suicide,
                             const std::string& scoring, const std::string& tax, int handicap) {
    return guarded([&] {
        return State(go::Position(size,
                                  {go::komi_halves(komi), go::parse_ko(ko), go::parse_scoring(scoring),
                                   suicide, go::parse_tax(tax)},
                                  handicap));
    });
}

val go_score(const State<go::Position>& state, const val& dead) {
    return guarded([&] {
        const go::Score score = state.position().score(numbers<int>(dead));
        return copied("Float64Array", std::vector<double>{score.black / 2.0, score.white / 2.0});
    });
}

/// Every point from A1: 0 empty, 1 Black, 2 White.
val go_stones(const State<go::Position>& state) {
    const go::Board& board = state.position().board();
    std::vector<std::uint8_t> points;
    for (int p = 0; p < board.points(); ++p) {
        const go::Color there = board.at(static_cast<go::Point>(p));
        points.push_back(there == go::empty ? 0 : there == go::black ? 1 : 2);
    }
    return copied("Uint8Array", points);
}

/// Komi, prisoners of Black and of White, consecutive passes.
val go_facts(const State<go::Position>& state) {
    const go::Position& position = state.position();
    return copied("Float64Array",
                  std::vector<double>{position.rules().komi / 2.0, static_cast<double>(position.prisoners(0)),
                                      static_cast<double>(position.prisoners(1)),
                                      static_cast<double>(position.passes())});
}

int go_ko_point(const State<go::Position>& state) {
    const go::Point point = state.position().ko_point();
    return point == go::no_point ? -1 : static_cast<int>(point);
}

/// The mean owner of every point after random playouts: 1 for Black, -1 for White. The seed is the key.
val go_ownership(const State<go::Position>& state, int playouts) {
    return copied("Float64Array", [&] {
        const auto owners = go::playout_ownership(state.position(), state.position().key(), playouts);
        return std::vector<double>(owners.begin(), owners.end());
    }());
}

using ExpendibotsSearch = LinearSearch<expendibots::Position, expendibots::Evaluator>;

/// Uses a value network in place of the weights: the layers of `expendibots::Network::Layers` as
/// Float32Arrays.
void use_network(ExpendibotsSearch& search, const val& layers) {
    const auto layer = [&](const char* name) { return numbers<float>(layers[name]); };
    const auto stacks = layer("stacks"), measured = layer("measured"), first_bias = layer("first_bias"),
               between = layer("between"), second_bias = layer("second_bias"), last = layer("last");
    guarded([&] {
        auto network = std::make_shared<const expendibots::Network>(expendibots::Network::Layers{
            static_cast<int>(first_bias.size()), static_cast<int>(second_bias.size()), stacks, measured,
            first_bias, between, second_bias, last, layer("last_bias").at(0)});
        search.update_evaluator([&](expendibots::Evaluator& evaluator) { evaluator.set_network(network); });
        return 0;
    });
}

/// The endgame tables of Expendibots, one material after the other.
class Endgames {
 public:
    void add(int strong, int weak, const val& values) {
        std::vector<std::int8_t> table = numbers<std::int8_t>(values);
        guarded([&] {
            tables_.add({strong, weak}, std::move(table));
            return 0;
        });
    }
    void equip(ExpendibotsSearch& search) const {
        const auto tables = std::make_shared<const expendibots::EndgameTables>(tables_);
        search.update_evaluator(
            [&](expendibots::Evaluator& evaluator) { evaluator.set_endgame_tables(tables); });
    }

 private:
    expendibots::EndgameTables tables_;
};

/// A random game with a seed of 64 bits, for UCT.
template <GamePosition P>
val seeded_playout(const State<P>& state, std::uint32_t high, std::uint32_t low, std::uint32_t limit) {
    const PlayoutResult result = playout(state, whole(high, low), limit);
    val made = val::object();
    made.set("winner", static_cast<int>(result.outcome.winner));
    made.set("over", result.outcome.over());
    return made;
}

template <GamePosition P>
auto bind_game(const std::string& name) {
    using namespace emscripten;
    using S = State<P>;
    class_<Positions<P>>((name + "Positions").c_str())
        .template constructor<>()
        .function("add", &Positions<P>::add)
        .function("size", &Positions<P>::size)
        .function("ply", &Positions<P>::ply)
        .function("legalMoves", &Positions<P>::legal_moves)
        .function("encode", &Positions<P>::encode)
        .function("shape", &Positions<P>::shape)
        .function("decode", &Positions<P>::decode);
    class_<Tree<P>>((name + "Tree").c_str())
        .template constructor<const S&, const val&>()
        .function("visits", &Tree<P>::visits)
        .function("value", &Tree<P>::value)
        .function("lead", &Tree<P>::lead)
        .function("maxDepth", &Tree<P>::max_depth)
        .function("select", &Tree<P>::select)
        .function("evaluate", &Tree<P>::evaluate)
        .function("cancel", &Tree<P>::cancel)
        .function("rootMoves", &Tree<P>::root_moves)
        .function("pv", &Tree<P>::pv);
    return class_<S>((name + "State").c_str())
        .class_function("parse", &parse<P>)
        .function(
            "text", +[](const S& s) { return s.position().text(); })
        .function(
            "fullText", +[](const S& s) { return full_text(s.position()); })
        .function(
            "toMove", +[](const S& s) { return s.position().side(); })
        .function(
            "ply", +[](const S& s) { return s.node().ply; })
        .function(
            "key", +[](const S& s) { return hexadecimal(s.position().key()); })
        .function(
            "reason", +[](const S& s) { return std::string(s.outcome().reason); })
        .function(
            "winner", +[](const S& s) { return static_cast<int>(s.outcome().winner); })
        .function(
            "lastMove", +[](const S& s) { return s.has_previous() ? int{s.node().move} : -1; })
        .function("legalMoves", &legal_moves<P>)
        .function("play", &play<P>)
        .function(
            "moveText",
            +[](const S& s, int move) {
                return guarded([&] { return std::string(s.position().move_text(checked(move))); });
            })
        .function("parseMove", &parse_move<P>)
        .function(
            "perft", +[](const S& s, int depth) { return static_cast<double>(perft(s.position(), depth)); })
        .function("randomGame", &random_game<P>)
        .function("playout", &seeded_playout<P>);
}

template <GamePosition P, search::Evaluator E>
auto bind_search(const std::string& name) {
    using S = LinearSearch<P, E>;
    return emscripten::class_<S>((name + "Search").c_str())
        .template constructor<const val&, std::size_t>()
        .class_function(
            "stages",
            +[] {
                val names = val::array();
                for (const auto& stage : E::Features::stage_names())
                    names.call<void>("push", std::string(stage));
                return names;
            })
        .class_function(
            "features",
            +[] {
                val names = val::array();
                for (const auto& feature : E::Features::names())
                    names.call<void>("push", std::string(feature));
                return names;
            })
        .function("analyse", &S::analyse)
        .function("clear", &S::clear);
}

}  // namespace sparring::browser

EMSCRIPTEN_BINDINGS(sparring) {
    using namespace sparring;
    using namespace sparring::browser;
    bind_game<chess::Position>("Chess")
        .class_function("initial", &chess_start)
        .class_function("parseRules", &chess_parse)
        .function("claimableDraw", &chess_claim)
        .function(
            "inCheck", +[](const State<chess::Position>& s) { return s.position().in_check(); })
        .function("alphabeta", &alphabeta<chess::Position>);
    emscripten::class_<ChessLines>("ChessLines")
        .constructor<const val&, const val&, const val&, const val&, std::size_t>()
        .function("best", &ChessLines::best)
        .function("clear", &ChessLines::clear);
    bind_game<go::Position>("Go")
        .class_function("initial", &go_start)
        .function("score", &go_score)
        .function("stones", &go_stones)
        .function("facts", &go_facts)
        .function("koPoint", &go_ko_point)
        .function("ownership", &go_ownership)
        .function("size", +[](const State<go::Position>& s) { return s.position().size(); });
    bind_game<shogi::Position>("Shogi")
        .class_function(
            "initial", +[] { return State(shogi::Position()); })
        .function(
            "inCheck", +[](const State<shogi::Position>& s) { return s.position().in_check(); })
        .function("alphabeta", &alphabeta<shogi::Position>);
    bind_game<breakthrough::Position>("Breakthrough")
        .class_function("initial", +[] { return State(breakthrough::Position()); });
    bind_search<breakthrough::Position, breakthrough::Evaluator>("Breakthrough");
    bind_game<expendibots::Position>("Expendibots")
        .class_function("initial", +[] { return State(expendibots::Position()); });
    bind_search<expendibots::Position, expendibots::Evaluator>("Expendibots")
        .function("useNetwork", &use_network);
    emscripten::class_<Endgames>("ExpendibotsEndgames")
        .constructor<>()
        .function("add", &Endgames::add)
        .function("equip", &Endgames::equip);
    bind_game<rbc::Position>("Rbc")
        .class_function(
            "initial", +[] { return State(rbc::Position()); })
        .function(
            "sensing", +[](const State<rbc::Position>& s) { return s.position().sensing(); })
        .function("sense", &rbc_sense)
        .function("resultOf", &rbc_result_of);
}
