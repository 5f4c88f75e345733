#include "chess/maia3.hpp"

namespace sparring::chess::maia3 {

namespace {

/// A square with the ranks mirrored where Black is to move.
constexpr Square seen(const Board& board, Square s) { return board.turn == black ? s ^ 56 : s; }

template <class T>
void encode_board(const Board& board, T* tokens) {
    for (const int owner : {0, 1}) {
        const Color c = owner == 0 ? board.side() : ~board.side();
        for (int type = pawn; type <= king; ++type) {
            const auto piece = static_cast<std::size_t>(owner * 6 + type);
            for (Bitboard b = board.pieces(c, static_cast<PieceType>(type)); b;) {
                tokens[static_cast<std::size_t>(seen(board, pop_lsb(b))) * token_size + piece] = 1;
            }
        }
    }
}

template <class T>
void encode_line(const Node<Position>& node, T* tokens) {
    const Node<Position>* shown = &node;
    for (std::size_t slot = boards; slot-- > 0;) {
        encode_board(shown->position.board(), tokens + slot * pieces);
        if (shown->previous) shown = shown->previous.get();
    }
}

}  // namespace

void encode(const Node<Position>& node, float* tokens) { encode_line(node, tokens); }
void encode(const Node<Position>& node, std::uint8_t* tokens) { encode_line(node, tokens); }

std::size_t label(const Board& board, Move m) {
    const auto from = static_cast<std::size_t>(seen(board, from_square(m)));
    const auto to = static_cast<std::size_t>(seen(board, to_square(m)));
    if (!promotion(m)) return from * squares + to;
    return squares * squares + (from % 8 * 8 + to % 8) * 4 + static_cast<std::size_t>(queen - promotion(m));
}

}  // namespace sparring::chess::maia3
