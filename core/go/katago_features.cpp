#include "go/katago_features.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "game/random.hpp"
#include "go/area.hpp"

namespace sparring::go::katago {

namespace {

using HistoryNode = Node<Position>;

enum Plane : std::size_t {
    on_board = 0,
    own_stones = 1,
    other_stones = 2,
    one_liberty = 3,  // then two and three
    forbidden = 6,    // by ko or superko
    last_move = 9,    // then the four before it; 7 and 8 belong to the end of territory games
    laddered = 14,    // then the same one and two turns ago
    ladder_moves = 17,
    own_area = 18,
    other_area = 19,  // 20 and 21 belong to the end of territory games
};

enum Global : std::size_t {
    passed = 0,  // the last move was a pass, then the four before it
    self_komi = 5,
    superko = 6,
    which_superko = 7,
    suicide = 8,
    territory = 9,
    tax = 10,
    tax_on_all = 11,
    pass_ends_phase = 14,
    komi_parity = 18,
};

constexpr int max_history = 5;  // of history

/// The planes of one position, by point.
class Planes {
 public:
    Planes(float* out, int side, int size) : out_(out), plane_size_(static_cast<std::size_t>(side * side)) {
        std::fill(out_, out_ + spatial_planes * plane_size_, 0.0f);
        for (int y = 0, p = 0; y < size; ++y) {
            for (int x = 0; x < size; ++x, ++p)
                place_[static_cast<std::size_t>(p)] = static_cast<std::uint16_t>((size - 1 - y) * side + x);
        }
    }

    void set(std::size_t plane, Point p) { out_[plane * plane_size_ + place_[p]] = 1.0f; }

 private:
    float* out_;
    std::size_t plane_size_;
    std::array<std::uint16_t, max_points> place_;  // of each point in a plane
};

void set_stones(const Position& position, Planes& planes) {
    const Board& board = position.board();
    for (Point p = 0; p < board.points(); ++p) {
        planes.set(on_board, p);
        const Color there = board.at(p);
        if (there == empty) continue;
        planes.set(there == position.side() ? own_stones : other_stones, p);
        const int liberties = board.liberties(p);
        if (liberties <= 3) planes.set(one_liberty + static_cast<std::size_t>(liberties) - 1, p);
    }
}

void set_forbidden(const HistoryNode& line, Planes& planes) {
    const Position& position = line.position;
    if (position.ko_point() != no_point) planes.set(forbidden, position.ko_point());
    if (position.rules().ko == KoRule::simple) return;
    for (Point p = 0; p < position.pass(); ++p) {
        if (position.playable(p) && position.needs_superko_check(p) && !Position::is_legal(line, p))
            planes.set(forbidden, p);
    }
}

/// KataGo shows no area under territory scoring before the game is over.
void set_area(const Position& position, Planes& planes) {
    const Rules& rules = position.rules();
    if (rules.scoring == ScoringRule::territory) return;
    const Board& board = position.board();
    Ownership owners = pass_alive_ownership(board, rules.suicide);
    if (rules.tax != TaxRule::none) {
        const Ownership living = independent_life(board, owners).owners;
        for (Point p = 0; p < board.points(); ++p) {
            if (owners[p] != board.at(p)) owners[p] = living[p];  // stones always count
        }
    }
    for (Point p = 0; p < board.points(); ++p) {
        if (owners[p] != empty) planes.set(owners[p] == position.side() ? own_area : other_area, p);
    }
}

/// Whether the player to move has passed in the same situation before, which ends a game without superko. The
/// last move then recaptured a ko.
bool passed_here_before(const HistoryNode& line) {
    const Position& position = line.position;
    const HistoryNode* after = &line;
    if (position.rules().ko != KoRule::simple || !after->previous || after->move == position.pass() ||
        !position.board().was_captured(~static_cast<Color>(position.side()), after->move)) {
        return false;
    }
    for (; after->previous; after = after->previous.get()) {
        const Position& earlier = after->previous->position;
        if (after->move == earlier.pass() && earlier.key() == position.key() &&
            earlier.board().same_stones(position.board()))
            return true;
    }
    return false;
}

/// The history that is shown, and whether a pass is shown to end the game.
struct HistoryInput {
    int turns = max_history;
    bool pass_ends_phase = false;
};

HistoryInput history_input(const HistoryNode& line) {
    const Position& position = line.position;
    const Rules& rules = position.rules();
    if (position.passes() >= 2) return {1, true};  // the game is over: only the last pass is shown
    const bool repeats = passed_here_before(line);
    if (position.passes() == 0) return {max_history, repeats};
    // Friendly pass: under all named area rules of KataGo except Tromp-Taylor, players may pass before dead
    // stones are removed, so a second pass is not shown to end the game.
    const bool tromp_taylor = rules.ko == KoRule::positional && rules.suicide;
    const bool friendly = rules.scoring == ScoringRule::area && !tromp_taylor && !repeats;
    return friendly ? HistoryInput{0, false} : HistoryInput{max_history, true};
}

/// Marks the last moves and returns their number.
int set_history(const HistoryNode& line, int turns, Planes& planes, float* global) {
    const HistoryNode* after = &line;
    int turn = 0;
    for (; turn < turns && after->previous; ++turn, after = after->previous.get()) {
        const auto ago = static_cast<std::size_t>(turn);
        if (after->move == line.position.pass()) {
            global[passed + ago] = 1.0f;
        } else {
            planes.set(last_move + ago, after->move);
        }
    }
    return turn;
}

/// Komi from the view of the player to move. Territory scoring is converted to area scoring with a cost of
/// one point for each stone played.
float komi_for_mover(const Position& position) {
    int halves = position.rules().komi;
    if (position.rules().scoring == ScoringRule::territory) {
        const Board& board = position.board();
        int played = position.prisoners(white) - position.prisoners(black);  // by Black, less White's
        for (Point p = 0; p < board.points(); ++p) played += (board.at(p) == black) - (board.at(p) == white);
        halves += 2 * played;
    }
    const float komi = static_cast<float>(halves) / 2.0f;
    const auto widest = static_cast<float>(position.board().points() + 20);
    return std::clamp(position.side() == white ? komi : -komi, -widest, widest);
}

/// A triangular wave over komi, zero and rising where a draw is possible.
float parity_wave(float komi, int points) {
    const float nearest = points % 2 == 0 ? 0.0f : 1.0f;  // the parity of komi that can give draws
    const float delta = komi - (std::floor((komi - nearest) / 2.0f) * 2.0f + nearest);
    if (delta < 0.5f) return delta;
    return delta < 1.5f ? 1.0f - delta : delta - 2.0f;
}

void set_rules(const Position& position, float* global) {
    const Rules& rules = position.rules();
    const float komi = komi_for_mover(position);
    global[self_komi] = komi / 20.0f;
    if (rules.ko != KoRule::simple) {
        global[superko] = 1.0f;
        global[which_superko] = rules.ko == KoRule::positional ? 0.5f : -0.5f;
    }
    global[suicide] = rules.suicide ? 1.0f : 0.0f;
    global[territory] = rules.scoring == ScoringRule::territory ? 1.0f : 0.0f;
    global[tax] = rules.tax != TaxRule::none ? 1.0f : 0.0f;
    global[tax_on_all] = rules.tax == TaxRule::all ? 1.0f : 0.0f;
    if (rules.scoring == ScoringRule::area)
        global[komi_parity] = parity_wave(komi, position.board().points());
}

}  // namespace

void InputEncoder::encode(const Node<Position>& line, int side, float* spatial, float* global) {
    const Position& position = line.position;
    Planes planes(spatial, side, position.size());
    std::fill(global, global + global_inputs, 0.0f);
    set_stones(position, planes);
    set_forbidden(line, planes);
    const HistoryInput seen = history_input(line);
    const int turns = set_history(line, seen.turns, planes, global);
    const HistoryNode& before = turns >= 1 ? *line.previous : line;
    const HistoryNode& long_before = turns >= 2 ? *before.previous : before;
    for (const Point p : ladders(position).captured) planes.set(laddered, p);
    for (const auto& [stone, move] : ladders(position).working) {
        if (position.board().at(stone) != position.side()) planes.set(ladder_moves, move);
    }
    for (const Point p : ladders(before.position).captured) planes.set(laddered + 1, p);
    for (const Point p : ladders(long_before.position).captured) planes.set(laddered + 2, p);
    set_area(position, planes);
    set_rules(position, global);
    global[pass_ends_phase] = seen.pass_ends_phase ? 1.0f : 0.0f;
}

void encode_spatial(const Node<Position>& line, int, std::uint8_t* spatial) {
    thread_local InputEncoder encoder;
    thread_local std::vector<float> planes;
    const int side = line.position.size();
    planes.assign(spatial_planes * static_cast<std::size_t>(side * side), 0.0f);
    std::array<float, global_inputs> global;
    encoder.encode(line, side, planes.data(), global.data());
    // Rows in reverse: the cell number is then the point, and the label of the move.
    const float* row = planes.data();
    for (std::size_t plane = 0; plane < spatial_planes; ++plane) {
        for (int y = side - 1; y >= 0; --y, row += side) {
            std::uint8_t* out = spatial + (static_cast<int>(plane) * side + y) * side;
            std::transform(row, row + side, out, [](float x) { return x != 0.0f; });
        }
    }
}

void encode_global(const Node<Position>& line, int, float* global) {
    thread_local std::vector<float> board;
    const int side = line.position.size();
    board.resize(spatial_planes * static_cast<std::size_t>(side * side));
    Planes unused(board.data(), side, side);
    std::fill(global, global + global_inputs, 0.0f);
    const HistoryInput seen = history_input(line);
    set_history(line, seen.turns, unused, global);
    set_rules(line.position, global);
    global[pass_ends_phase] = seen.pass_ends_phase ? 1.0f : 0.0f;
}

const Ladders& InputEncoder::ladders(const Position& position) {
    const Board& board = position.board();
    const auto rest =
        static_cast<std::uint64_t>(position.ko_point()) << 8 | static_cast<std::uint64_t>(position.size());
    const std::uint64_t key = Random(board.key() ^ rest).next();
    CachedLadders& place = ladder_cache_[key % ladder_cache_.size()];
    if (place.key != key) place = {key, reader_.read(board, position.ko_point())};
    return place.ladders;
}

}  // namespace sparring::go::katago
