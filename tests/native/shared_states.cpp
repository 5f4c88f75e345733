// Threads that share a line of states and free it. `make tsan` builds and runs this under ThreadSanitizer.
#include <thread>
#include <vector>

#include "breakthrough/position.hpp"
#include "game/state.hpp"

using State = sparring::State<sparring::breakthrough::Position>;

int main() {
    constexpr int rounds = 200, plies = 20, threads = 4;
    const State start{sparring::breakthrough::Position{}};
    for (int round = 0; round < rounds; ++round) {
        State state = start;
        sparring::MoveList moves;
        while (state.node().ply < plies && !state.outcome().over()) {
            state.legal_moves(moves);
            state = state.play(moves[0]);
        }
        std::vector<std::jthread> readers;
        for (int i = 0; i < threads; ++i) {
            readers.emplace_back([state]() mutable {
                while (state.node().ply > plies / 2) state = state.previous();
            });
        }
        state = start;
    }
}
