// Huffman coded positions, the 32 bytes in which Apery, dlshogi and cshogi keep a shogi position.
#pragma once

#include <string>
#include <string_view>

namespace sparring::shogi {

/// The position as SFEN. Throws ParseError for bytes that are no code; whether the position is one that a
/// game can reach is for `parse_sfen` to say.
std::string hcp_to_sfen(std::string_view bytes);

/// The move of those programs' 16 bits as USI. Throws ParseError.
std::string move16_to_usi(unsigned move);

}  // namespace sparring::shogi
