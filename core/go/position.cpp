#include "go/position.hpp"

#include <algorithm>
#include <vector>

#include "game/random.hpp"

namespace sparring::go {

namespace {

constexpr std::uint64_t white_key = Random(0x60BA4).next();

}  // namespace

Position::Position(int size, Rules rules, int handicap) : board_(checked_size(size)), rules_(rules) {
    for (const Point p : handicap_points(handicap, size)) {
        board_.place(black, p);
        side_ = white;
    }
}

std::uint64_t Position::key_of(std::uint64_t stones, Color side) const {
    return rules_.ko == KoRule::positional || side == black ? stones : stones ^ white_key;
}

std::uint64_t Position::hash() const {
    const auto mix = [](std::uint64_t a, std::uint64_t b) { return Random(a ^ b).next(); };
    std::uint64_t h = mix(board_.key(), static_cast<std::uint64_t>(size()));
    h = mix(h, static_cast<std::uint64_t>(prisoners_[0]) << 32 | static_cast<std::uint64_t>(prisoners_[1]));
    h = mix(h, static_cast<std::uint64_t>(ko_) << 16 | static_cast<std::uint64_t>(side_) << 8 | passes_);
    const auto komi = static_cast<std::uint16_t>(rules_.komi);
    return mix(h, static_cast<std::uint64_t>(komi) << 16 | static_cast<std::uint64_t>(rules_.ko) << 8 |
                      static_cast<std::uint64_t>(rules_.tax) << 2 |
                      static_cast<std::uint64_t>(rules_.scoring) << 1 | rules_.suicide);
}

bool Position::operator==(const Position& other) const {
    return side_ == other.side_ && ko_ == other.ko_ && passes_ == other.passes_ &&
           prisoners_ == other.prisoners_ && rules_ == other.rules_ && board_.same_stones(other.board_);
}

void Position::moves(MoveList& list) const {
    if (passes_ >= 2) return;
    for (Point p = 0; p < pass(); ++p) {
        if (playable(p)) list.push(p);
    }
    list.push(pass());
}

void Position::play(Move m) {
    ko_ = no_point;
    if (m == pass()) {
        ++passes_;
    } else {
        const PlaceResult placed = board_.place(side_, m);
        capture(side_, placed.captured);
        capture(~side_, placed.lost);
        // A single stone captured a single stone and is in atari: recapturing would repeat the board.
        if (placed.captured == 1 && board_.chain_size(m) == 1 && board_.liberties(m) == 1) {
            ko_ = placed.taken;
        }
        passes_ = 0;
    }
    side_ = ~side_;
}

void Position::capture(Color by, int stones) {
    prisoners_[by] += std::min(stones, max_prisoners - prisoners_[by]);
}

Outcome Position::result() const {
    const Score points = score();
    if (points.black == points.white) return Outcome::draw("score");
    return Outcome::win(points.black > points.white ? black : white, "score");
}

Outcome Position::outcome(const Node<Position>& node) {
    return node.position.passes_ >= 2 ? node.position.result() : Outcome{};
}

bool Position::is_legal(const Node<Position>& node, Move m) {
    const Position& position = node.position;
    if (m >= position.pass()) return m == position.pass();
    if (!position.playable(m)) return false;
    if (!position.needs_superko_check(m)) return true;
    const std::uint64_t key = position.key_after(m);
    for (const Node<Position>* earlier = &node; earlier; earlier = earlier->previous.get()) {
        if (earlier->position.key() == key) return false;
    }
    return true;
}

/// Applies superko: one walk along the line, only for moves that may repeat a position.
void Position::legal_moves(const Node<Position>& node, MoveList& list) {
    const Position& position = node.position;
    position.moves(list);
    if (position.rules_.ko == KoRule::simple) return;

    struct Suspect {
        std::uint64_t key;
        Move move;
    };
    std::vector<Suspect> suspects;
    // A bit filter of the keys of these moves: the walk compares keys only if the bit is set.
    constexpr std::size_t bits = 4096;
    std::array<std::uint64_t, bits / 64> keys_seen;
    for (const Move m : list) {
        if (m == position.pass() || !position.needs_superko_check(m)) continue;
        if (suspects.empty()) keys_seen.fill(0);
        suspects.push_back({position.key_after(m), m});
        const std::uint64_t key = suspects.back().key;
        keys_seen[key % bits / 64] |= std::uint64_t{1} << (key % 64);
    }
    if (suspects.empty()) return;

    for (const Node<Position>* earlier = &node; earlier; earlier = earlier->previous.get()) {
        const std::uint64_t key = earlier->position.key();
        if (!(keys_seen[key % bits / 64] >> (key % 64) & 1)) continue;
        for (const Suspect& suspect : suspects) {
            if (suspect.key == key) list.filter([&](Move m) { return m != suspect.move; });
        }
    }
}

std::array<std::size_t, 3> Position::shape() const {
    const auto side = static_cast<std::size_t>(size());
    return {planes, side, side};
}

/// Own stones, the opponent's, empty points; own stones with 1, 2 and 3 liberties, the opponent's; the ko
/// point; constant planes: Black to move, komi for the side to move, whether a pass ends the game, ones.
void Position::encode(float* out) const {
    const auto points = static_cast<std::size_t>(board_.points());
    std::fill(out, out + planes * points, 0.0f);
    for (Point p = 0; p < points; ++p) {
        const Color there = board_.at(p);
        if (there == empty) {
            out[2 * points + p] = 1.0f;
            continue;
        }
        const std::size_t owner = there == side_ ? 0 : 1;
        out[owner * points + p] = 1.0f;
        const int liberties = board_.liberties(p);
        if (liberties <= 3) out[(2 + 3 * owner + static_cast<std::size_t>(liberties)) * points + p] = 1.0f;
    }
    if (ko_ != no_point) out[9 * points + ko_] = 1.0f;

    const auto everywhere = [&](std::size_t plane, float value) {
        std::fill(out + plane * points, out + (plane + 1) * points, value);
    };
    constexpr float widest = 20.0f;  // komi is clipped to this many points
    const float komi = static_cast<float>(rules_.komi) / 2.0f * (side_ == white ? 1.0f : -1.0f);
    everywhere(10, side_ == black ? 1.0f : 0.0f);
    everywhere(11, std::clamp(0.5f + komi / (2.0f * widest), 0.0f, 1.0f));
    everywhere(12, passes_ > 0 ? 1.0f : 0.0f);
    everywhere(13, 1.0f);
}

}  // namespace sparring::go
