// What a search knows of Breakthrough: features, and which moves are loud.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "breakthrough/position.hpp"
#include "search/judge.hpp"

namespace sparring::breakthrough {

/// The mover's numbers less the other's, and one for having the move.
struct Features {
    using Scene = Position;
    static constexpr int stages = 1;
    static constexpr int size = 9;

    static int stage(const Scene&) { return 0; }
    static void describe(const Scene& scene, std::span<double> out);
    static std::vector<std::string> names();
    static std::vector<std::string> stage_names() { return {"all"}; }

    class Weights {
     public:
        explicit Weights(std::span<const double> plain) : plain_(plain.begin(), plain.end()) {}
        double value(const Scene& scene) const;

     private:
        std::vector<double> plain_;
    };
};

class Judge {
 public:
    using Scene = Position;
    using Features = breakthrough::Features;
    static constexpr int visits_to_draw = 0;  // nothing ever comes again
    static constexpr int history_slots = 1 << 8;

    explicit Judge(std::span<const double> weights)
        : weights_(std::make_shared<const Features::Weights>(weights)) {}

    static Scene scene(const Node<Position>& node) { return node.position; }
    std::optional<int> decided(const Scene& scene) const;
    int evaluate(const Scene& scene) const;
    void moves(const Scene& scene, search::OrderedMoves& moves) const { order(scene, moves, false); }
    /// Captures, and steps onto the far row.
    void loud(const Scene& scene, search::OrderedMoves& moves) const { order(scene, moves, true); }
    static bool reversible(Move) { return false; }
    std::uint64_t table_key(const Scene& scene) const { return scene.key(); }

 private:
    static void order(const Scene& scene, search::OrderedMoves& moves, bool only_loud);

    std::shared_ptr<const Features::Weights> weights_;
};

}  // namespace sparring::breakthrough
