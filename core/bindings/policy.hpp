// NumPy arrays, and the conversion of policy logits to probabilities over legal moves.
#pragma once

#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <new>

#include "bindings/state.hpp"

namespace sparring::bindings {

/// A block of zeros for NumPy arrays, from calloc: large blocks come from the system as zeros and are not
/// filled again.
template <class T>
class Zeros {
 public:
    explicit Zeros(std::size_t size)
        : data_(static_cast<T*>(std::calloc(std::max<std::size_t>(size, 1), sizeof(T)))) {
        if (!data_) throw std::bad_alloc();
        owner_ = nb::capsule(data_, [](void* p) noexcept { std::free(p); });
    }
    T* data() const { return data_; }

    /// An array of the part of the block that begins at `begin`. It keeps the block alive.
    nb::ndarray<nb::numpy, T> array(T* begin, std::initializer_list<std::size_t> shape) const {
        return nb::ndarray<nb::numpy, T>(begin, shape, owner_);
    }
    nb::ndarray<nb::numpy, T> array(T* begin, const std::vector<std::size_t>& shape) const {
        return nb::ndarray<nb::numpy, T>(begin, shape.size(), shape.data(), owner_);
    }

 private:
    T* data_;
    nb::capsule owner_;
};

/// The legal moves of several states, one state after the other, with their probabilities.
struct Policies {
    std::vector<Move> moves;
    std::vector<float> probabilities;
    std::vector<std::size_t> ends;  // the end of the moves of each state
};

/// The score of a move without a label in the policy: it gets all of the probability.
constexpr double certain = std::numeric_limits<double>::infinity();

/// Appends the softmax of the scores to `probabilities`. Infinite scores are allowed: +inf gets all of the
/// probability, and if all scores are -inf the result is uniform. Throws ValueError for NaN.
inline void softmax(const std::vector<double>& scores, std::vector<float>& probabilities) {
    if (scores.empty()) return;
    const double best = *std::max_element(scores.begin(), scores.end());
    const auto weight = [best](double score) { return score == best ? 1.0 : std::exp(score - best); };
    double total = 0;
    for (const double score : scores) total += weight(score);
    if (std::isnan(total)) throw nb::value_error("the policy logits contain NaN");
    for (const double score : scores) probabilities.push_back(static_cast<float>(weight(score) / total));
}

using Logits = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// The legal moves of each state with the softmax over their scores. `score(position, move, row)` gives the
/// score of a move from the state's row of the logits.
template <GamePosition P, class Score>
Policies policies(const std::vector<State<P>>& states, const Logits& logits, Score score) {
    Policies result;
    std::vector<double> scores;
    MoveList list;
    for (std::size_t i = 0; i < states.size(); ++i) {
        const float* row = logits.data() + i * logits.shape(1);
        states[i].legal_moves(list);
        scores.clear();
        for (const Move move : list) scores.push_back(score(states[i].position(), move, row));
        softmax(scores, result.probabilities);
        result.moves.insert(result.moves.end(), list.begin(), list.end());
        result.ends.push_back(result.moves.size());
    }
    return result;
}

/// A list with a tuple of moves for each state, and the probabilities of all moves in one array.
inline nb::tuple to_python(const Policies& policies) {
    nb::list moves;
    std::size_t begin = 0;
    for (const std::size_t end : policies.ends) {
        nb::object legal = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(end - begin)));
        for (std::size_t i = begin; i < end; ++i) {
            NB_TUPLE_SET_ITEM(legal.ptr(), static_cast<Py_ssize_t>(i - begin),
                              move_object(policies.moves[i]));
        }
        moves.append(legal);
        begin = end;
    }
    const Zeros<float> block(policies.probabilities.size());
    std::copy(policies.probabilities.begin(), policies.probabilities.end(), block.data());
    return nb::make_tuple(moves, block.array(block.data(), {policies.probabilities.size()}));
}

/// Decodes logits [states, labels] without the interpreter's lock. Throws ValueError if the shape is wrong.
template <GamePosition P, class Score>
nb::tuple decode(const std::vector<State<P>>& states, const Logits& logits, std::size_t labels, Score score) {
    if (logits.shape(0) != states.size() || logits.shape(1) != labels) {
        throw nb::value_error(("policy logits of shape [" + std::to_string(states.size()) + ", " +
                               std::to_string(labels) + "] expected, one row a state")
                                  .c_str());
    }
    Policies result;
    {
        nb::gil_scoped_release release;
        result = policies(states, logits, score);
    }
    return to_python(result);
}

}  // namespace sparring::bindings
