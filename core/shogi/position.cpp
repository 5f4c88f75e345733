#include "shogi/position.hpp"

#include <algorithm>

#include "shogi/generate.hpp"

namespace sparring::shogi {

namespace {

constexpr std::string_view start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

/// Whether every move of one side since `first`, up to `last`, gave check.
bool always_checked(const Node<Position>& last, const Node<Position>& first, Player checked) {
    for (const auto* node = &last; node != &first; node = node->previous.get()) {
        if (node->position.side() == checked && !node->position.in_check()) return false;
    }
    return true;
}

/// The outcome by the fourth occurrence of the position.
Outcome repetition(const Node<Position>& node) {
    constexpr int ending = 4;
    const auto key = node.position.key();
    int seen = 1;
    for (const auto* earlier = node.previous.get(); earlier; earlier = earlier->previous.get()) {
        if (earlier->position.key() != key || ++seen < ending) continue;
        const bool checks[] = {always_checked(node, *earlier, 1), always_checked(node, *earlier, 0)};
        if (checks[0] == checks[1]) return Outcome::draw("repetition");
        return Outcome::win(checks[0] ? 1 : 0, "perpetual check");
    }
    return {};
}

}  // namespace

Position::Position() : board_(parse_sfen(start)) {}

void Position::moves(MoveList& list) const {
    if (board_.declared) return;
    ListSink sink{list};
    generate(board_, sink);
}

std::uint64_t Position::count() const {
    if (board_.declared) return 0;
    CountSink sink;
    generate(board_, sink);
    return sink.total;
}

bool Position::can_declare() const {
    return !board_.declared && board_.meets_declaration_rule(board_.side()) && !board_.in_check();
}

Outcome Position::outcome(const Node<Position>& node) {
    const Position& p = node.position;
    if (p.board_.declared) return Outcome::win(1 - p.side(), "entering-king declaration");
    if (p.count() == 0 && !p.can_declare()) {
        return Outcome::win(1 - p.side(), p.in_check() ? "checkmate" : "no legal moves");
    }
    return p.may_repeat() ? repetition(node) : Outcome{};
}

void Position::legal_moves(const Node<Position>& node, MoveList& list) {
    node.position.moves(list);
    if (node.position.can_declare()) list.push(declare_win);
}

void Position::encode(float* planes) const {
    constexpr int area = num_squares;
    std::fill(planes, planes + num_planes * area, 0.0f);
    const Color us = board_.side();
    const auto fill = [&](int plane, float value) {
        std::fill(planes + plane * area, planes + (plane + 1) * area, value);
    };
    for (const int owner : {0, 1}) {
        const Color c = owner == 0 ? us : ~us;
        for (int type = 0; type < num_piece_types; ++type) {
            float* plane = planes + (owner * num_piece_types + type) * area;
            for_each(board_.colors[c] & board_.types[type], [&](Square s) {
                const Square seen = us == black ? s : num_squares - 1 - s;
                plane[rank_of(seen) * 9 + 8 - file_of(seen)] = 1.0f;
            });
        }
        for (int type = 0; type < num_hand_types; ++type) {
            const float share =
                static_cast<float>(board_.hands[c][type]) / static_cast<float>(full_set[type]);
            fill(2 * num_piece_types + owner * num_hand_types + type, share);
        }
    }
    fill(num_planes - 2, us == white ? 1.0f : 0.0f);
    fill(num_planes - 1, board_.in_check() ? 1.0f : 0.0f);
}

}  // namespace sparring::shogi
