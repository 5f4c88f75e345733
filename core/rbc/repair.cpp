#include "rbc/repair.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <tuple>

#include "game/errors.hpp"

namespace sparring::rbc {

using namespace chess;

namespace {

constexpr int max_pieces = 16, max_pawns = 8;

struct Piece {
    Color color;
    int type;
};

std::optional<Piece> piece_of(char symbol) {
    constexpr std::string_view symbols = "PNBRQKpnbrqk";
    const auto i = symbol ? symbols.find(symbol) : std::string_view::npos;
    if (i == std::string_view::npos) return std::nullopt;
    return Piece{i < 6 ? white : black, static_cast<int>(i % 6)};
}

constexpr Square home_of_king(Color color) { return color == white ? 4 : 60; }

void remove(Board& board, Square s) {
    for (Bitboard& squares : board.types) squares &= ~bit(s);
    for (Bitboard& squares : board.colors) squares &= ~bit(s);
}

void put(Board& board, Square s, Piece piece) {
    remove(board, s);
    board.types[static_cast<std::size_t>(piece.type)] |= bit(s);
    board.colors[piece.color] |= bit(s);
}

bool has(const Board& board, Square s, Piece piece) {
    return board.pieces(piece.color, static_cast<PieceType>(piece.type)) & bit(s);
}

/// The square of a set that is nearest: by king's moves, then by files and ranks together.
Square nearest(Square s, Bitboard places) {
    const auto distance = [s](Square other) {
        const int files = std::abs(file_of(s) - file_of(other)),
                  ranks = std::abs(rank_of(s) - rank_of(other));
        return std::tuple(std::max(files, ranks), files + ranks, other);
    };
    Square best = lsb(places);
    for (; places; places &= places - 1) {
        if (distance(lsb(places)) < distance(best)) best = lsb(places);
    }
    return best;
}

/// Moves the nearest equal piece outside the window to the square; without a type, any but the king. If there
/// is no such piece, a new one is added, and another is removed if there would be too many.
void place_nearest(Board& board, Color color, Square s, std::optional<int> type = {}, Bitboard window = 0) {
    if (!type && board.colors[color] & bit(s)) return;
    const Bitboard others = board.colors[color] & ~window;
    Bitboard origins = others & ~board.types[king];
    if (type) {
        origins = others & board.types[static_cast<std::size_t>(*type)];
    } else if (bit(s) & back_ranks) {
        origins &= ~board.types[pawn];
    }
    int comes = type.value_or(queen);
    if (origins) {
        const Square origin = nearest(s, origins);
        comes = board.type_at(origin);
        remove(board, origin);
    } else if (const Bitboard spare = others & ~board.types[king];
               spare && std::popcount(board.colors[color]) >= max_pieces) {
        remove(board, nearest(s, spare));
    }
    put(board, s, {color, comes});
}

/// Moves the piece of a square to the nearest empty square outside the window.
void displace(Board& board, Square s, Bitboard window) {
    const Piece piece{board.colors[white] & bit(s) ? white : black, board.type_at(s)};
    remove(board, s);
    Bitboard places = ~board.occupied() & ~window;
    if (piece.type == pawn) places &= ~back_ranks;
    if (places) put(board, nearest(s, places), piece);
}

/// Plays a move; an own piece that the board still has on its target is taken off.
void play(Board& board, Move result) {
    if (result != pass && board.colors[board.side()] & bit(to_square(result)))
        remove(board, to_square(result));
    rbc::apply(board, result);
}

/// Applies a change to the boards, and adds the opponent's king where it is missing.
template <class Change>
BoardSet changed(const BoardSet& boards, Change change) {
    const Color enemy = boards.known().opponent();
    std::vector<Board> result;
    for (std::size_t i = 0; i < boards.size(); ++i) {
        Board board = boards.board(i);
        change(board);
        if (!board.pieces(enemy, king))
            put(board, nearest(home_of_king(enemy), ~board.occupied()), {enemy, king});
        try {
            result.push_back(Board::parse(board.fen()));
        } catch (const ParseError&) {  // too many pieces
        }
    }
    return BoardSet(result, boards.known().player);
}

}  // namespace

BoardSet repair_capture(const BoardSet& boards, std::optional<Square> captured) {
    return changed(boards, [captured](Board& board) {
        const Color enemy = board.side();
        board.apply_null();
        if (!captured) return;
        remove(board, *captured);
        place_nearest(board, enemy, *captured);
    });
}

BoardSet repair_sense(const BoardSet& boards, const std::vector<SensedSquare>& seen) {
    Bitboard window = 0;
    for (const auto& [square, symbol] : seen) window |= bit(square);
    return changed(boards, [&](Board& board) {
        const Color enemy = ~board.side();
        for (const auto& [square, symbol] : seen) {
            const auto wanted = piece_of(symbol);
            if (board.colors[enemy] & bit(square) && !(wanted && has(board, square, *wanted)))
                displace(board, square, window);
        }
        for (const auto& [square, symbol] : seen) {
            const auto wanted = piece_of(symbol);
            if (wanted && wanted->color == enemy && !has(board, square, *wanted))
                place_nearest(board, enemy, square, wanted->type, window);
        }
    });
}

BoardSet repair_move(const BoardSet& boards, Move result, std::optional<Square> captured) {
    return changed(boards, [=](Board& board) {
        const Color enemy = ~board.side();
        Bitboard way = 0;
        if (result != pass) {
            const Square from = from_square(result), to = to_square(result);
            if (!(board.colors[board.side()] & bit(from)))
                throw std::invalid_argument("the player has no such piece");
            way = between(from, to) | bit(to);
        }
        if (captured) {
            place_nearest(board, enemy, *captured);
            remove(board, *captured);
        }
        for (Bitboard squares = way; squares;) {
            const Square s = pop_lsb(squares);
            if (board.colors[enemy] & bit(s)) displace(board, s, way);
        }
        board.clear_en_passant();
        play(board, result);
    });
}

void Guess::opponent_moved(std::optional<Square> captured) {
    seen_ = 0;
    board_.clear_en_passant();
    if (captured) {
        remove(board_, *captured);
        const Bitboard attackers = board_.attackers(*captured, ~player_, board_.occupied());
        // The cheapest attacker made the capture.
        for (int type = pawn; type <= king; ++type) {
            const Bitboard cheapest = attackers & board_.types[static_cast<std::size_t>(type)];
            if (!cheapest) continue;
            remove(board_, lsb(cheapest));
            put(board_, *captured, {~player_, type});
            break;
        }
    }
    put_in_order(player_);
}

void Guess::sensed(const std::vector<SensedSquare>& seen) {
    for (const auto& [square, symbol] : seen) seen_ |= bit(square);
    for (const auto& [square, symbol] : seen) {
        const auto piece = piece_of(symbol);
        if (piece && piece->color != player_ && !has(board_, square, *piece))
            came_from_elsewhere(piece->color, piece->type);
        if (piece) {
            put(board_, square, *piece);
        } else {
            remove(board_, square);
        }
    }
    put_in_order(player_);
}

/// Removes an unseen piece of the same kind: it is assumed to have moved to the observed square.
void Guess::came_from_elsewhere(Color color, int type) {
    const Bitboard unseen = board_.pieces(color, static_cast<PieceType>(type)) & ~seen_;
    if (unseen) remove(board_, lsb(unseen));
}

void Guess::moved(Move result, std::optional<Square> captured) {
    if (result != pass) {
        const Square from = from_square(result), to = to_square(result);
        if (!(board_.colors[player_] & bit(from))) place_mover(result);  // an earlier result was lost
        // The observation of a capture overrides the guess.
        if (!captured) {
            for (Bitboard way = (between(from, to) | bit(to)) & ~board_.colors[player_]; way;)
                remove(board_, pop_lsb(way));
        }
        board_.turn = static_cast<std::uint8_t>(player_);
        play(board_, result);
    }
    put_in_order(~player_);
}

/// Puts a piece that can make the move where the guess has none of its own.
void Guess::place_mover(Move result) {
    const Square from = from_square(result);
    const bool leaps = knight_attacks(from) & bit(to_square(result));
    const int type = promotion(result) ? pawn : leaps ? knight : queen;
    came_from_elsewhere(player_, type);
    put(board_, from, {player_, type});
}

/// Makes the board legal: one king a side, no more pieces than at the start, no pawn on a last rank, and no
/// castling right or en passant square that contradicts the pieces.
void Guess::put_in_order(Color turn) {
    board_.turn = static_cast<std::uint8_t>(turn);
    const Bitboard promoted = board_.types[pawn] & back_ranks;
    board_.types[pawn] &= ~promoted;
    board_.types[queen] |= promoted;
    for (const Color color : {white, black}) {
        if (board_.pieces(color, king)) {
            remove_excess(board_.pieces(color, king), 1);
        } else {
            place_king(color);
        }
        remove_excess(board_.pieces(color, pawn), max_pawns);
        remove_excess(board_.colors[color] & ~board_.types[king], max_pieces - 1);
    }
    board_ = Board::parse(board_.fen());
}

/// Removes pieces until at most so many stand on the squares, unseen ones first.
void Guess::remove_excess(Bitboard squares, int most) {
    for (int excess = std::popcount(squares) - most; excess > 0; --excess) {
        const Bitboard unseen = squares & ~seen_;
        const Square s = lsb(unseen ? unseen : squares);
        remove(board_, s);
        squares &= ~bit(s);
    }
}

void Guess::place_king(Color color) {
    const Bitboard free = ~board_.occupied() & ~seen_;
    if (free) put(board_, nearest(home_of_king(color), free), {color, king});
}

}  // namespace sparring::rbc
