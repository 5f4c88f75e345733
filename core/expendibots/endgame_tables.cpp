#include "expendibots/endgame_tables.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "game/errors.hpp"

namespace sparring::expendibots {

Material Material::of(const Board& board) {
    const int whites = board.tokens(board.colors[white]), blacks = board.tokens(board.colors[black]);
    return {std::max(whites, blacks), std::min(whites, blacks)};
}

EndgameIndex::EndgameIndex(Material material)
    : material_(material),
      orbits_(&orbits_of(material.strong)),
      weak_arrangements_(arrangement_count(material.weak)),
      half_(orbits_->count() * weak_arrangements_),
      count_(material.strong == material.weak ? half_ : 2 * half_) {}

std::uint32_t EndgameIndex::place(const Board& board) const {
    const int whites = board.tokens(board.colors[white]);
    const bool equal = material_.strong == material_.weak;
    const auto strong = equal ? static_cast<Color>(board.turn) : whites == material_.strong ? white : black;
    const auto weak = static_cast<Color>(1 - strong);
    return place(TokenSquares::of(board, strong), TokenSquares::of(board, weak), board.turn != strong);
}

std::uint32_t EndgameIndex::place(const TokenSquares& strong, const TokenSquares& weak,
                                  bool weak_moves) const {
    const std::uint32_t number = rank(strong), orbit = orbits_->orbit(number);
    const TokenSquares transformed = weak.transformed(orbits_->symmetry(number));
    std::uint32_t within = rank(transformed);
    // The first of the weaker side's images that leave the stronger side as it is.
    const std::uint8_t stabiliser = orbits_->stabiliser(orbit);
    for (int symmetry = 1; stabiliser >> symmetry; ++symmetry) {
        if (stabiliser >> symmetry & 1) within = std::min(within, rank(transformed.transformed(symmetry)));
    }
    return orbit * weak_arrangements_ + within + (weak_moves ? half_ : 0);
}

std::optional<Board> EndgameIndex::position(std::uint32_t place) const {
    const bool weak_moves = place >= half_;
    const std::uint32_t within = weak_moves ? place - half_ : place;
    const TokenSquares strong =
        unrank(material_.strong, orbits_->representative(within / weak_arrangements_));
    const TokenSquares weak = unrank(material_.weak, within % weak_arrangements_);
    Board board;
    for (int i = 0; i < strong.count; ++i) {
        board.set_height(white, strong.squares[i], board.height(strong.squares[i]) + 1);
    }
    for (int i = 0; i < weak.count; ++i) {
        if (board.colors[white] & bit(weak.squares[i])) return {};
        board.set_height(black, weak.squares[i], board.height(weak.squares[i]) + 1);
    }
    board.set_turn(weak_moves ? black : white);
    if (this->place(strong, weak, weak_moves) != place) return {};
    return board;
}

void EndgameTables::add(Material material, std::vector<std::int8_t> values) {
    const std::string name = std::to_string(material.strong) + " v " + std::to_string(material.weak);
    if (!material.has_table()) throw ParseError("there is no endgame table of " + name + " tokens");
    EndgameIndex places(material);
    if (values.size() != places.count()) {
        throw ParseError("the endgame table of " + name + " tokens has " + std::to_string(places.count()) +
                         " values, not " + std::to_string(values.size()));
    }
    tables_[material.strong][material.weak] =
        std::make_shared<const EndgameTable>(EndgameTable{std::move(places), std::move(values)});
}

std::optional<int> EndgameTables::probe(const Board& board) const {
    constexpr int most_stacks = 6;
    if (std::popcount(board.occupied()) > most_stacks) return {};
    const Material material = Material::of(board);
    if (!has(material)) return {};
    const auto& [places, values] = *table(material);
    return values[places.place(board)];
}

}  // namespace sparring::expendibots
