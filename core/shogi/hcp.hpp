// Huffman coded positions, the 32 bytes in which Apery, dlshogi and cshogi keep a shogi position.
#pragma once

#include <string>
#include <string_view>

namespace sparring::shogi {

/// The position as SFEN. Throws BadText for bytes that are no code; whether the position is one that a
/// game can reach is for `parse_sfen` to say.
std::string sfen_of_hcp(std::string_view bytes);

/// The move of those programs' 16 bits as USI. Throws BadText.
std::string usi_of_move16(unsigned move);

}  // namespace sparring::shogi
