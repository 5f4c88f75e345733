#include "rbc/planner.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <unordered_map>

#include "game/parallel.hpp"
#include "rbc/analysis.hpp"
#include "rbc/board_search.hpp"

namespace sparring::rbc {

using namespace chess;

// Algorithm 3.

namespace {

constexpr std::size_t block = 4;              // playouts per unit of parallel work
constexpr std::size_t max_root_samples = 32;  // of the average policy of the root

}  // namespace

PlannerSearch::PlannerSearch(const PlannerConfig& config, NodeTable& table,
                             const std::vector<Particle>& particles, const BoardSet& possible,
                             const Infostate& self, std::uint64_t seed)
    : config_(config),
      table_(table),
      particles_(particles),
      possible_(possible),
      self_(self),
      player_(self.known().player),
      random_(seed),
      slots_(std::max<std::size_t>(config.batch, 1)) {
    // The actions of the root are those of all possible boards, not of a sample.
    if (self.context().moving) {
        MoveList list;
        self.actions(list);
        for (const Move action : list) root_.push_back({action});
    } else {
        for (const Square square : undominated_senses(possible)) root_.push_back({make_sense(square)});
        if (root_.empty()) root_.push_back({no_sense});
    }
    const std::size_t samples =
        possible.size() <= config.states ? 1 : std::min<std::size_t>(config.batch, max_root_samples);
    for (std::size_t i = 0; i < samples; ++i) {
        const auto& particle = particles_[random_.below(static_cast<std::uint32_t>(particles_.size()))];
        root_samples_.push_back(root_sample(particle, random_));
    }
}

/// "I <- random l states in X including one in J".
Infostate PlannerSearch::root_sample(const Particle& particle, Random& random) const {
    const HiddenSide truth = hidden_side(particle.board(), player_);
    Infostate state(possible_.known(), sample_with(possible_, truth, config_.states, random));
    state.set_context(self_.context());
    if (self_.previous()) state.remember(*self_.previous());
    return state;
}

std::vector<Edge> PlannerSearch::root() const {
    std::vector<Edge> finished = root_;
    for (const Playout& playout : slots_) {
        if (!playout.running && !playout.waiting) continue;
        const auto edge = std::find_if(finished.begin(), finished.end(), [&](const Edge& candidate) {
            return candidate.action == playout.path.front().action;
        });
        edge->visits = std::max(0.0f, edge->visits - virtual_loss);
    }
    return finished;
}

Infostate& PlannerSearch::to_act(Playout& playout) const {
    return playout.board.side() == player_ ? playout.self : playout.opponent;
}

void PlannerSearch::select(EvaluationBatch& batch) {
    if (!root_evaluated_) {
        for (const Infostate& sample : root_samples_) batch.add(sample.synopsis(), false);
        return;
    }
    waiting_.clear();
    const std::uint64_t first = playouts_;
    // A playout can end without any evaluation: stop after some rounds, so that the caller sees the clock.
    const std::uint64_t most = 4 * slots_.size();
    for (bool active = true; active && playouts_ - first < most;) {
        active = false;
        for (Playout& playout : slots_) {
            if (!playout.running && !playout.waiting) start(playout);
        }
        parallel_for(slots_.size(), block, config_.threads, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                if (slots_[i].running) advance(slots_[i]);
            }
        });
        for (Playout& playout : slots_) {
            if (playout.running) {
                ++nodes_;
                settle(playout);
            }
            active = active || !playout.waiting;
        }
    }
    // Playouts that wait at the same node share an evaluation.
    std::unordered_map<std::uint64_t, std::size_t> rows;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        if (!slots_[i].waiting) continue;
        const auto [row, is_new] = rows.try_emplace(slots_[i].key, batch.size());
        waiting_.emplace_back(i, row->second);
        if (is_new) batch.add(slots_[i].synopsis, slots_[i].board.side() != player_);
    }
}

void PlannerSearch::evaluate(const EvaluationBatch& batch, const Evaluations& evaluations) {
    if (!root_evaluated_) {
        // pi-bar: the average policy over samples of the belief.
        std::vector<Move> actions;
        for (const Edge& edge : root_) actions.push_back(edge.action);
        const auto share = 1.0f / static_cast<float>(root_samples_.size());
        for (std::size_t i = 0; i < root_samples_.size(); ++i) {
            const auto edges = policy_edges(player_, actions, evaluations.row(i));
            for (std::size_t j = 0; j < edges.size(); ++j) root_[j].prior += share * edges[j].prior;
            value_ += share * evaluations.values[i];
        }
        remembered_ = remembered_planes(batch.synopses[0]);
        root_evaluated_ = true;
        root_samples_.clear();
        return;
    }
    for (const auto& [slot, row] : waiting_) {
        Playout& playout = slots_[slot];
        playout.waiting = false;
        playout.node = &table_.insert(playout.key, to_act(playout), playout.synopsis, evaluations.row(row),
                                      evaluations.values[row]);
        settle(playout);
    }
    waiting_.clear();
}

void PlannerSearch::start(Playout& playout) {
    const auto& particle = particles_[random_.below(static_cast<std::uint32_t>(particles_.size()))];
    playout.random = Random(random_.next());
    playout.board = particle.board();
    playout.self = root_sample(particle, playout.random);
    if (self_.context().moving) playout.self.remember(remembered_);
    playout.opponent = particle.opponent;
    playout.opponent_states = uniform(playout.random) < config_.caution ? cautious_states : config_.states;
    playout.path.clear();
    playout.depth = self_.context().moving ? config_.move_depth : config_.sense_depth;
    Edge& edge = root_[bandit(root_, config_, true, playout.random)];
    edge.visits += virtual_loss;
    playout.path.push_back({0, edge.action, player_});
    playout.running = true;
}

/// Plays the chosen action: the infostates of both players follow what they observe. Does not change the
/// table.
void PlannerSearch::advance(Playout& playout) {
    Infostate& actor = to_act(playout);
    Infostate& other = &actor == &playout.self ? playout.opponent : playout.self;
    const Move action = playout.path.back().action;
    const Color mover = playout.board.side();
    playout.final_value.reset();
    playout.node = nullptr;
    if (action >= sense_base) {
        actor.sense(action, hidden_side(playout.board, mover));
    } else {
        const MoveOutcome outcome = MoveOutcome::of(playout.board, action);
        if (outcome.captured && (playout.board.pieces(~mover, king) & bit(*outcome.captured))) {
            playout.final_value = 1.0f;  // for the mover, who stays the player to act
            return;
        }
        apply(playout.board, outcome.taken);
        actor.move(outcome);
        const std::size_t limit = &other == &playout.opponent ? playout.opponent_states : config_.states;
        other.reply(outcome.captured, hidden_side(playout.board, ~mover), limit, playout.random);
    }
    Infostate& next = to_act(playout);
    if (config_.static_analysis && next.wins()) {
        playout.final_value = 1.0f;
        return;
    }
    playout.key = next.key();
    playout.is_leaf = playout.path.size() >= playout.depth;
    if (playout.is_leaf && config_.native_weight > 0) playout.native_value = native_value(playout.board);
    if (playout.is_leaf && config_.native_weight >= 1) return;  // the network is not asked
    playout.node = table_.find(playout.key);
    if (!playout.node) playout.synopsis = next.synopsis();
}

/// Backs up a finished playout, chooses the next action, or waits for an evaluation.
void PlannerSearch::settle(Playout& playout) {
    playout.running = false;
    if (playout.final_value) {
        ++decided_;
        back_up(playout, *playout.final_value);
    } else if (playout.is_leaf && config_.native_weight >= 1) {
        back_up(playout, playout.native_value);
    } else if (!playout.node) {
        playout.waiting = true;
    } else if (playout.is_leaf) {
        const auto weight = static_cast<float>(config_.native_weight);
        back_up(playout, (1 - weight) * playout.node->value + weight * playout.native_value);
    } else {
        choose(playout, *playout.node);
    }
}

void PlannerSearch::choose(Playout& playout, TreeNode& node) {
    Infostate& actor = to_act(playout);
    Edge& edge = node.edges[bandit(node.edges, config_, false, playout.random)];
    edge.visits += virtual_loss;
    if (actor.context().moving) actor.remember(node.remembered);
    playout.path.push_back({playout.key, edge.action, actor.known().player});
    playout.running = true;
}

/// Adds the value for the player to act to the actions of the playout, with the other sign for the other
/// player's.
void PlannerSearch::back_up(Playout& playout, float value) {
    const Color player = playout.board.side();
    for (std::size_t i = 0; i < playout.path.size(); ++i) {
        const Step& step = playout.path[i];
        TreeNode* node = i ? table_.find(step.key) : nullptr;
        if (i && !node) continue;  // overwritten
        std::vector<Edge>& edges = i ? node->edges : root_;
        const auto edge = std::find_if(edges.begin(), edges.end(), [&](const Edge& candidate) {
            return candidate.action == step.action;
        });
        if (edge != edges.end()) edge->add(step.player == player ? value : -value);
    }
    ++playouts_;
}

float PlannerSearch::native_value(const Board& board) const {
    const int score = BoardSearch(0, 0).score(board);
    return static_cast<float>(std::tanh(score / centipawns_of_a_win));
}

// Algorithm 4.

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
