// Huffman coded positions (HCP): the 32-byte format of Apery, dlshogi and cshogi.
#pragma once

#include <string>
#include <string_view>

namespace sparring::shogi {

/// The SFEN of a coded position. Throws ParseError for an invalid code; `parse_sfen` checks the position
/// itself.
std::string hcp_to_sfen(std::string_view bytes);

/// The USI text of a 16-bit move of those programs. Throws ParseError.
std::string move16_to_usi(unsigned move);

}  // namespace sparring::shogi
