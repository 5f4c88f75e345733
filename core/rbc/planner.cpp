#include "rbc/planner.hpp"

#include <stdexcept>

namespace sparring::rbc {

using namespace chess;

Planner::Planner(const PlannerConfig& config, Color player, const Board& board, std::uint64_t seed)
    : config_(config),
      random_(seed),
      table_(config.table_size, config.rationality),
      filter_(config, player, random_.next()) {
    filter_.start(board);
    if (board.side() != player) filter_.advance(std::nullopt);
}

void Planner::moved(const MoveOutcome& outcome) {
    remember_turn();
    search_.reset();
    const bool passed = outcome.taken == pass;
    context_.last_from = passed ? std::nullopt : std::optional<Square>(from_square(outcome.taken));
    context_.last_to = passed ? std::nullopt : std::optional<Square>(to_square(outcome.taken));
    context_.last_own_capture = outcome.captured;
    filter_.advance(outcome);
}

/// The planes of the move that ends this turn. Without a search, as in time trouble, they are those of the
/// last draw: an older turn's would show pieces that have moved since.
void Planner::remember_turn() {
    if (search_ && search_->search.root_evaluated()) {
        previous_ = search_->search.remembered();
    } else if (drawn_) {
        previous_ = remembered_planes(drawn_->synopsis());
    } else {
        previous_.reset();
    }
    drawn_.reset();
}

void Planner::draw(const BoardSet& possible, bool exact) {
    search_.reset();
    filter_.draw(possible, exact);
    std::vector<HiddenSide> sample;
    for (const std::size_t i : possible.sample_indices(config_.states, random_.next()))
        sample.push_back(possible.hidden()[i]);
    drawn_.emplace(possible.known(), std::move(sample));
    drawn_->set_context(context_);
}

void Planner::begin_search(const BoardSet& possible, bool moving) {
    if (filter_.particles().empty()) throw std::logic_error("a search needs particles: call draw first");
    context_.moving = moving;
    Infostate self(possible.known(), {});
    self.set_context(context_);
    if (previous_) self.remember(*previous_);
    search_ = std::make_unique<Running>(config_, table_, filter_, possible, std::move(self), random_.next());
}

const EvaluationBatch& Planner::select() {
    batch_.clear();
    if (search_) {
        search_->search.select(batch_);
    } else {
        filter_.select(config_.batch, table_, batch_);
    }
    return batch_;
}

void Planner::evaluate(const Evaluations& evaluations) {
    if (evaluations.values.size() != batch_.size() ||
        evaluations.logits.size() != batch_.size() * policy_size)
        throw std::invalid_argument("the evaluations do not match the batch");
    if (search_) {
        search_->search.evaluate(batch_, evaluations);
    } else {
        filter_.evaluate(batch_, evaluations, table_);
    }
    batch_.clear();
}

}  // namespace sparring::rbc
