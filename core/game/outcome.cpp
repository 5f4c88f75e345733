#include "game/outcome.hpp"

namespace sparring {

const char* reason_name(Reason reason) {
    switch (reason) {
        case Reason::none: return "none";
        case Reason::checkmate: return "checkmate";
        case Reason::stalemate: return "stalemate";
        case Reason::insufficient_material: return "insufficient material";
        case Reason::seventyfive_moves: return "seventy-five moves";
        case Reason::fifty_moves: return "fifty moves";
        case Reason::fivefold_repetition: return "fivefold repetition";
        case Reason::threefold_repetition: return "threefold repetition";
        case Reason::king_capture: return "king capture";
        case Reason::move_limit: return "move limit";
        case Reason::no_moves: return "no legal moves";
        case Reason::repetition: return "repetition";
        case Reason::perpetual_check: return "perpetual check";
        case Reason::declaration: return "entering-king declaration";
        case Reason::score: return "score";
        case Reason::no_tokens: return "no tokens";
        case Reason::all_tokens_gone: return "all tokens gone";
        case Reason::far_row: return "far row";
        case Reason::no_pieces: return "no pieces";
    }
    return "none";
}

}  // namespace sparring
