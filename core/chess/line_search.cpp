#include "chess/line_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "chess/evaluation.hpp"
#include "chess/generate.hpp"

namespace sparring::chess {

namespace {

using search::Bound;
using search::decided_score;
using search::Entry;
using search::max_ply;
using search::OrderedMoves;
using search::win_score;

constexpr int first_order = 1 << 30, capture_order = 1 << 26, killer_order = 1 << 24,
              losing_order = -(1 << 24);
constexpr int most_history = 1 << 13;
constexpr std::array<int, 6> exchange_values = {100, 320, 330, 500, 950, 20'000};

/// Reductions of late moves, by depth and number of the move.
struct Reductions {
    std::array<std::array<int, 64>, 64> of{};
    Reductions() {
        for (int depth = 1; depth < 64; ++depth) {
            for (int number = 1; number < 64; ++number)
                of[depth][number] = static_cast<int>(0.8 + std::log(depth) * std::log(number) / 2.3);
        }
    }
};
const Reductions reductions;

bool is_capture(const Board& board, Move move) {
    return (bit(to_square(move)) & board.occupied()) ||
           (to_square(move) == board.en_passant && (bit(from_square(move)) & board.types[pawn]));
}

/// Captures and promotions, also those that lose material.
void noisy_moves(const Position& position, MoveList& list) {
    const Board& board = position.board();
    const auto generate_noisy = [&]<Color Us>() {
        constexpr Bitboard seventh = Us == white ? rank_mask(6) : rank_mask(1);
        ListSink sink{list};
        const Square k = lsb(board.pieces(Us, king));
        const CheckInfo checks = check_info<Us>(board, k);
        const Bitboard enemy = board.colors[Us == white ? black : white];
        generate<Us>(board, k, checks, sink, MoveFilter{~Bitboard{0}, enemy});
        if (board.en_passant != no_square)
            generate<Us>(board, k, checks, sink, MoveFilter{board.types[pawn], bit(board.en_passant)});
        if (const Bitboard promoting = board.pieces(Us, pawn) & seventh)
            generate<Us>(board, k, checks, sink, MoveFilter{promoting, ~board.occupied()});
    };
    if (board.turn == white) {
        generate_noisy.template operator()<white>();
    } else {
        generate_noisy.template operator()<black>();
    }
}

int piece_index(const Board& board, Move move) {
    const int type = board.type_at(from_square(move));
    return (board.turn * 6 + type) * 64 + to_square(move);
}

bool has_officers(const Board& board) {
    return board.colors[board.turn] & ~board.types[pawn] & ~board.types[king];
}

int score_from_table(int score, int ply) {
    if (std::abs(score) <= decided_score) return score;
    return score > 0 ? score - ply : score + ply;
}

}  // namespace

int exchange_value(const Board& board, Move move) {
    const Square to = to_square(move), from = from_square(move);
    std::array<int, 33> gain{};
    Bitboard occupied = board.occupied() ^ bit(from);
    const int victim = board.type_at(to);
    int attacker = board.type_at(from);
    gain[0] = victim == no_piece ? 0 : exchange_values[victim];
    if (victim == no_piece && attacker == pawn && to == board.en_passant) {
        gain[0] = exchange_values[pawn];
        occupied ^= bit(board.turn == white ? to - 8 : to + 8);
    }
    if (const int promoted = promotion(move)) {
        gain[0] += exchange_values[promoted] - exchange_values[pawn];
        attacker = promoted;
    }
    Color side = ~board.side();
    int depth = 0;
    while (depth < 31) {
        const Bitboard attackers = board.attackers(to, side, occupied) & occupied;
        if (!attackers) break;
        int type = pawn;
        while (!(attackers & board.types[type])) ++type;
        if (type == king && (board.attackers(to, ~side, occupied) & occupied)) break;
        ++depth;
        gain[depth] = exchange_values[attacker] - gain[depth - 1];
        attacker = type;
        occupied ^= bit(lsb(attackers & board.types[type]));
        side = ~side;
    }
    for (; depth > 0; --depth) gain[depth - 1] = -std::max(-gain[depth - 1], gain[depth]);
    return gain[0];
}

LineSearch::LineSearch(ValueNetwork network, std::size_t bytes)
    : network_(std::move(network)),
      table_(bytes),
      frames_(static_cast<std::size_t>(plies) + 1),
      continuations_(std::make_unique<Continuations>()) {}

void LineSearch::clear() {
    table_.clear();
    for (auto& side : history_) side.fill(0);
    for (auto& row : *continuations_) row.fill(0);
    for (Frame& frame : frames_) frame.killers = {};
}

int LineSearch::evaluate(const Board& board) const {
    ValueNetwork::Accumulator sums;
    network_.compute(board, sums);
    return network_.evaluate(board, sums);
}

LineResult LineSearch::search(const Node<Position>& node, const search::Limits& limits, int lines,
                              std::span<const Move> only) {
    stop_.store(false);
    search::SearchStopper stopper(limits, stop_);
    stopper_ = &stopper;
    nodes_ = 0;
    may_stop_ = stopped_ = false;
    table_.new_search();
    played_.clear();
    const int reversible = node.position.board().halfmove_clock;
    const Node<Position>* before = node.previous.get();
    for (int back = 0; back < reversible && before; ++back, before = before->previous.get())
        played_.push_back(before->position.key());
    Frame& root = frames_[0];
    root.position = node.position;
    root.check = node.position.in_check();
    root.moved = 0;
    root.move = null_move;
    root.repeatable = 0;
    network_.compute(root.position.board(), root.sums);
    root.has_sums = true;
    for (Frame& frame : frames_) frame.killers = {};

    MoveList legal;
    node.position.moves(legal);
    legal.sort();
    std::vector<Move> moves(legal.begin(), legal.end());
    if (!only.empty())
        std::erase_if(moves, [&](Move m) { return std::find(only.begin(), only.end(), m) == only.end(); });

    LineResult result;
    const auto count = std::min(static_cast<std::size_t>(std::max(lines, 1)), moves.size());
    for (int depth = 1; depth <= stopper.depth() && !moves.empty(); ++depth) {
        std::vector<Line> found;
        std::vector<Move> left = moves;
        for (std::size_t number = 0; number < count; ++number) {
            const int guess = number < result.lines.size() ? result.lines[number].score : 0;
            int margin = depth < 5 || std::abs(guess) > decided_score ? infinity : 25;
            int alpha = std::max(guess - margin, -infinity), beta = std::min(guess + margin, infinity), score;
            while (true) {
                score = search_root(depth, alpha, beta, left);
                if (stopped_ || (score > alpha && score < beta) || margin >= infinity) break;
                margin = margin > 500 ? infinity : margin * 3;
                if (score <= alpha) alpha = std::max(guess - margin, -infinity);
                if (score >= beta) beta = std::min(guess + margin, infinity);
            }
            if (stopped_) break;
            found.push_back({{root.pv.begin(), root.pv.begin() + static_cast<long>(root.pv_length)}, score});
            std::erase(left, root.pv[0]);
        }
        if (stopped_) break;
        may_stop_ = true;
        std::stable_sort(found.begin(), found.end(),
                         [](const Line& a, const Line& b) { return a.score > b.score; });
        for (std::size_t i = found.size(); i-- > 0;) {  // tried first in the next iteration
            const auto place = std::find(moves.begin(), moves.end(), found[i].moves[0]);
            std::rotate(moves.begin(), place, place + 1);
        }
        result.lines = std::move(found);
        result.depth = depth;
        const bool all_mates = std::all_of(result.lines.begin(), result.lines.end(), [&](const Line& line) {
            return win_score - std::abs(line.score) <= depth;
        });
        if (all_mates) break;
    }
    result.nodes = nodes_;
    stopper_ = nullptr;
    return result;
}

int LineSearch::search_root(int depth, int alpha, int beta, std::span<const Move> moves) {
    int best = -infinity;
    frames_[0].pv_length = 0;
    const int floor = alpha;
    for (std::size_t number = 0; number < moves.size(); ++number) {
        step(0, moves[number]);
        int score;
        if (number == 0) {
            score = -search(depth - 1, 1, -beta, -alpha, true);
        } else {
            const int reduced = depth >= 3 && number >= 4 && !frames_[0].check && !frames_[1].check &&
                                        !is_capture(frames_[0].position.board(), moves[number])
                                    ? 1 + (number >= 12)
                                    : 0;
            score = -search(depth - 1 - reduced, 1, -alpha - 1, -alpha, true);
            if (score > alpha && reduced && !stopped_)
                score = -search(depth - 1, 1, -alpha - 1, -alpha, true);
            if (score > alpha && !stopped_) score = -search(depth - 1, 1, -beta, -alpha, true);
        }
        if (stopped_) return 0;
        if (score <= best) continue;
        best = score;
        if (score <= alpha) {
            if (best <= floor && frames_[0].pv_length == 0) update_pv(0, moves[number]);
            continue;
        }
        alpha = score;
        update_pv(0, moves[number]);
        if (alpha >= beta) break;
    }
    return best;
}

int LineSearch::search(int depth, int ply, int alpha, int beta, bool may_pass) {
    Frame& frame = frames_[ply];
    if (depth <= 0 && !frame.check) return quiesce(ply, alpha, beta);
    frame.pv_length = 0;
    if (stopped()) return 0;
    if (ply >= max_ply) return evaluate(ply);
    depth = std::max(depth, 1);
    MoveList legal;
    frame.position.moves(legal);
    if (legal.empty()) return frame.check ? -win_score + ply : 0;
    if (is_draw(ply)) return 0;
    alpha = std::max(alpha, -win_score + ply);
    beta = std::min(beta, win_score - ply - 1);
    if (alpha >= beta) return alpha;

    const Board& board = frame.position.board();
    const bool open = beta - alpha > 1;
    const Entry known = table_.probe(board.key);
    const int known_score = score_from_table(known.score, ply);
    if (!open && known.bound != Bound::none && known.depth >= depth && board.halfmove_clock < 80 &&
        (known.bound == Bound::exact ||
         (known.bound == Bound::lower ? known_score >= beta : known_score <= alpha)))
        return known_score;
    if (known.bound == Bound::none && depth >= 5) --depth;

    int evaluation = -infinity;
    if (!frame.check) {
        evaluation = evaluate(ply);
        frame.evaluation = evaluation;
        if (known.bound != Bound::none && std::abs(known_score) < decided_score &&
            (known.bound == Bound::exact || (known.bound == Bound::lower) == (known_score > evaluation)))
            evaluation = known_score;
    } else {
        frame.evaluation = ply >= 2 ? frames_[ply - 2].evaluation : 0;
    }
    const bool improving = !frame.check && ply >= 2 && frame.evaluation > frames_[ply - 2].evaluation;
    if (!open && !frame.check && std::abs(beta) < decided_score) {
        if (depth <= 7 && evaluation - 80 * (depth - improving) >= beta && evaluation < decided_score)
            return evaluation;
        if (depth <= 2 && evaluation + 260 * depth < alpha) {
            const int score = quiesce(ply, alpha, beta);
            if (score <= alpha) return score;
        }
        if (may_pass && depth >= 3 && evaluation >= beta && frame.evaluation >= beta - 100 &&
            has_officers(board)) {
            step(ply, null_move);
            const int reduced = depth - 3 - depth / 4 - std::min((evaluation - beta) / 200, 3);
            const int score = -search(reduced, ply + 1, -beta, -beta + 1, false);
            if (stopped_) return 0;
            if (score >= beta) {
                if (depth < 9) return score > decided_score ? beta : score;
                // Zugzwang: the result is verified by a search without the null move.
                if (search(reduced, ply, beta - 1, beta, false) >= beta)
                    return score > decided_score ? beta : score;
                if (stopped_) return 0;
            }
        }
    }

    OrderedMoves moves;
    for (const Move move : legal) moves.push(move, 0);
    order(ply, known.bound == Bound::none ? null_move : known.move, moves);
    const int floor = alpha;
    int best = -infinity;
    Move best_move = null_move;
    std::array<Move, 64> quiets;
    std::size_t quiet_count = 0;
    for (std::size_t number = 0; number < moves.size(); ++number) {
        const auto [move, rank] = moves.pick(number);
        const bool quiet = !is_capture(board, move) && promotion(move) == 0;
        step(ply, move);
        const bool gives_check = frames_[ply + 1].check;
        if (!open && best > -decided_score && !frame.check && !gives_check && number > 0) {
            if (quiet) {
                if (depth <= 6 && static_cast<int>(quiet_count) >= (4 + depth * depth) / (improving ? 1 : 2))
                    continue;
                if (depth <= 6 && evaluation + 120 + 90 * depth <= alpha) continue;
                if (depth <= 5 && rank < killer_order && exchange_value(board, move) < -40 * depth) continue;
            } else if (depth <= 5 && rank < 0 && exchange_value(board, move) < -100 * depth) {
                continue;
            }
        }
        // A check is followed one ply further; a single answer to a check too.
        const int extension =
            (gives_check && (rank >= 0 || depth <= 3)) || (frame.check && legal.size() == 1) ? 1 : 0;
        const int next_depth = depth - 1 + (ply < 2 * 24 ? extension : 0);
        int score;
        if (number == 0) {
            score = -search(next_depth, ply + 1, -beta, -alpha, true);
        } else {
            int reduced = 0;
            if (depth >= 3 && number >= 2 && (quiet || rank < 0)) {
                reduced = reductions.of[std::min(depth, 63)][std::min<std::size_t>(number, 63)];
                if (open) --reduced;
                if (!improving) ++reduced;
                if (gives_check || frame.check) --reduced;
                if (rank >= killer_order) reduced -= 2;
                if (quiet && rank < killer_order) reduced -= std::clamp(rank / 5000, -2, 2);
                if (!quiet) --reduced;
                reduced = std::clamp(reduced, 0, std::max(next_depth - 1, 0));
            }
            score = -search(next_depth - reduced, ply + 1, -alpha - 1, -alpha, true);
            if (score > alpha && reduced && !stopped_)
                score = -search(next_depth, ply + 1, -alpha - 1, -alpha, true);
            if (score > alpha && score < beta && !stopped_)
                score = -search(next_depth, ply + 1, -beta, -alpha, true);
        }
        if (stopped_) return 0;
        if (score > best) {
            best = score;
            best_move = move;
            if (score > alpha) {
                alpha = score;
                update_pv(ply, move);
                if (alpha >= beta) {
                    if (quiet) reward(ply, move, {quiets.data(), quiet_count}, depth);
                    break;
                }
            }
        }
        if (quiet && quiet_count < quiets.size()) quiets[quiet_count++] = move;
    }
    store(ply, best_move,
          best >= beta   ? Bound::lower
          : best > floor ? Bound::exact
                         : Bound::upper,
          depth, best);
    return best;
}

int LineSearch::quiesce(int ply, int alpha, int beta) {
    Frame& frame = frames_[ply];
    frame.pv_length = 0;
    if (stopped()) return 0;
    if (is_draw(ply)) return 0;
    if (ply >= max_ply) return evaluate(ply);
    const Board& board = frame.position.board();
    const Entry known = table_.probe(board.key);
    const int known_score = score_from_table(known.score, ply);
    if (beta - alpha == 1 && known.bound != Bound::none &&
        (known.bound == Bound::exact ||
         (known.bound == Bound::lower ? known_score >= beta : known_score <= alpha)))
        return known_score;
    const int floor = alpha;
    int best;
    MoveList list;
    if (frame.check) {
        frame.position.moves(list);
        if (list.empty()) return -win_score + ply;
        best = -infinity;
    } else {
        best = evaluate(ply);
        frame.evaluation = best;
        if (best >= beta) return best;
        alpha = std::max(alpha, best);
        noisy_moves(frame.position, list);
    }
    const int standing = best;
    OrderedMoves moves;
    for (const Move move : list) moves.push(move, 0);
    order(ply, known.bound == Bound::none ? null_move : known.move, moves);
    Move best_move = null_move;
    for (std::size_t number = 0; number < moves.size(); ++number) {
        const auto [move, rank] = moves.pick(number);
        if (best > -decided_score) {
            if (rank < 0 && rank < losing_order / 2) break;  // captures that lose material
            if (frame.check && number > 2 && !is_capture(board, move)) continue;
            const int victim = board.type_at(to_square(move));
            if (!frame.check && !promotion(move) && victim != no_piece &&
                standing + exchange_values[victim] + 180 <= alpha)
                continue;
        }
        step(ply, move);
        const int score = -quiesce(ply + 1, -beta, -alpha);
        if (stopped_) return 0;
        if (score <= best) continue;
        best = score;
        best_move = move;
        if (score <= alpha) continue;
        alpha = score;
        update_pv(ply, move);
        if (alpha >= beta) break;
    }
    if (known.bound == Bound::none || known.depth == 0)
        store(ply, best_move,
              best >= beta   ? Bound::lower
              : best > floor ? Bound::exact
                             : Bound::upper,
              0, best);
    return best;
}

/// Plays a move of the position at `ply` into the next frame; the null move passes.
void LineSearch::step(int ply, Move move) {
    const Frame& frame = frames_[ply];
    Frame& next = frames_[ply + 1];
    next.position = frame.position;
    next.has_sums = false;
    next.move = move;
    if (move == null_move) {
        next.position.pass();
        next.check = false;
        next.moved = 0;
        next.repeatable = ply + 1;
    } else {
        next.moved = piece_index(frame.position.board(), move);
        next.position.play(move);
        next.check = next.position.in_check();
        next.repeatable = next.position.board().halfmove_clock == 0 ? ply + 1 : frame.repeatable;
    }
    table_.prefetch(next.position.key());
}

bool LineSearch::stopped() {
    ++nodes_;
    if (may_stop_ && stopper_->should_stop(nodes_)) stopped_ = true;
    return stopped_;
}

/// One repetition within the path is a draw; positions before the root count by the rules.
bool LineSearch::is_draw(int ply) const {
    const Frame& frame = frames_[ply];
    const Board& board = frame.position.board();
    if (board.halfmove_clock >= 100 || frame.position.insufficient_material()) return true;
    for (int back = ply - 4; back >= frame.repeatable; back -= 2) {
        if (frames_[back].position.key() == board.key) return true;
    }
    if (frame.repeatable > 0 || played_.empty()) return false;
    return std::count(played_.begin(), played_.end(), board.key) >= 2;
}

/// The evaluation at `ply`, with the sums of the nearest earlier position that has them.
int LineSearch::evaluate(int ply) {
    Frame& frame = frames_[ply];
    if (!frame.has_sums) {
        int known = ply - 1;
        while (known >= 0 && !frames_[known].has_sums && ply - known < 6) --known;
        if (known >= 0 && frames_[known].has_sums) {
            network_.update(frames_[known].position.board(), frames_[known].sums, frame.position.board(),
                            frame.sums);
        } else {
            network_.compute(frame.position.board(), frame.sums);
        }
        frame.has_sums = true;
    }
    const int value = network_.evaluate(frame.position.board(), frame.sums);
    const int fading = 200 - std::min<int>(frame.position.board().halfmove_clock, 100);
    return std::clamp(value * fading / 200, -20'000, 20'000);
}

void LineSearch::order(int ply, Move first, OrderedMoves& moves) const {
    const Frame& frame = frames_[ply];
    const Board& board = frame.position.board();
    const auto& history = history_[board.turn];
    const auto& follow = (*continuations_)[frame.moved];
    const auto& own = (*continuations_)[ply >= 1 ? frames_[ply - 1].moved : 0];
    for (auto& [move, rank] : moves) {
        if (move == first && first != null_move) {
            rank = first_order;
        } else if (is_capture(board, move) || promotion(move) == queen) {
            rank = mvv_lva(board, move) + (exchange_value(board, move) >= 0 ? capture_order : losing_order);
        } else if (move == frame.killers[0] || move == frame.killers[1]) {
            rank = killer_order + (move == frame.killers[0]);
        } else {
            const int index = piece_index(board, move);
            rank = history[move & 4095] + follow[index] + own[index];
            if (promotion(move)) rank -= 1 << 16;
        }
    }
}

/// Updates killers and histories after a quiet move that refuted the opponent's last one.
void LineSearch::reward(int ply, Move best, std::span<const Move> quiets, int depth) {
    Frame& frame = frames_[ply];
    const Board& board = frame.position.board();
    if (frame.killers[0] != best) frame.killers = {best, frame.killers[0]};
    const int bonus = std::min(32 * depth * depth, 1'200);
    const auto add = [](std::int16_t& entry, int value) {
        entry = static_cast<std::int16_t>(entry + value - entry * std::abs(value) / most_history);
    };
    const auto update = [&](Move move, int value) {
        const int index = piece_index(board, move);
        add(history_[board.turn][move & 4095], value);
        add((*continuations_)[frame.moved][index], value);
        if (ply >= 1) add((*continuations_)[frames_[ply - 1].moved][index], value);
    };
    update(best, bonus);
    for (const Move move : quiets) {
        if (move != best) update(move, -bonus);
    }
}

void LineSearch::update_pv(int ply, Move move) {
    Frame& frame = frames_[ply];
    const Frame& next = frames_[ply + 1];
    frame.pv[0] = move;
    const std::size_t length = std::min(next.pv_length, frame.pv.size() - 1);
    std::copy_n(next.pv.begin(), length, frame.pv.begin() + 1);
    frame.pv_length = length + 1;
}

void LineSearch::store(int ply, Move move, Bound bound, int depth, int score) {
    if (std::abs(score) > decided_score) score += score > 0 ? ply : -ply;
    table_.store(frames_[ply].position.key(), {move, bound, depth, score});
}

}  // namespace sparring::chess
