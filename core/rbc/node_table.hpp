// The tables N and Q of the DSMCP paper over infostates, with the results of the network.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "rbc/evaluation_batch.hpp"
#include "rbc/rational_policy.hpp"

namespace sparring::rbc {

struct TreeNode {
    std::uint64_t key = 0;
    float value = 0;  // the network's, for the player to act
    RememberedPlanes remembered{};
    std::vector<Edge> edges;
};

/// A hash table in which a new node overwrites an older one in its slot.
class NodeTable {
 public:
    /// `rationality` weighs the moves of all policies by a native evaluation; 0 leaves them as they are.
    explicit NodeTable(std::size_t size, double rationality = 0)
        : nodes_(std::max<std::size_t>(size, 1)), rationality_(rationality) {}

    TreeNode* find(std::uint64_t key) {
        TreeNode& node = nodes_[key % nodes_.size()];
        return node.key == key && !node.edges.empty() ? &node : nullptr;
    }

    /// The node of an infostate that the network has evaluated.
    TreeNode& insert(std::uint64_t key, const Infostate& state, const Synopsis& synopsis,
                     std::span<const float> logits, float value) {
        if (TreeNode* known = find(key)) return *known;  // evaluated twice in a batch
        TreeNode& node = nodes_[key % nodes_.size()];
        used_ += node.edges.empty();
        MoveList actions;
        state.actions(actions);
        node = {key, value, remembered_planes(synopsis), policy_edges(state.known().player, actions, logits)};
        if (rationality_ > 0 && state.context().moving) weigh_by_value(node.edges, state, rationality_);
        return node;
    }

    /// The number of nodes.
    std::size_t used() const { return used_; }

 private:
    std::vector<TreeNode> nodes_;
    double rationality_;
    std::size_t used_ = 0;
};

}  // namespace sparring::rbc
