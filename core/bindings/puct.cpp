// The parameters of PUCT, the same for every game.
#include "search/puct.hpp"

#include <nanobind/nanobind.h>

namespace sparring::bindings {

namespace nb = nanobind;

void bind_puct(nb::module_& m) {
    nb::class_<search::PuctParams>(m, "PuctParams", "The arguments of a PUCT tree.")
        .def(
            "__init__",
            [](search::PuctParams* params, double c_puct, double c_base, double c_factor,
               double prior_temperature, bool fpu_absolute, double fpu_reduction, bool find_immediate_wins,
               bool repetition_draws, double draw_value, std::size_t memory) {
                new (params) search::PuctParams{c_puct,
                                                c_base,
                                                c_factor,
                                                prior_temperature,
                                                fpu_absolute,
                                                fpu_reduction,
                                                find_immediate_wins,
                                                repetition_draws,
                                                draw_value,
                                                memory};
            },
            nb::kw_only(), nb::arg("c_puct"), nb::arg("c_base"), nb::arg("c_factor"),
            nb::arg("prior_temperature"), nb::arg("fpu_absolute"), nb::arg("fpu_reduction"),
            nb::arg("find_immediate_wins"), nb::arg("repetition_draws"), nb::arg("draw_value"),
            nb::arg("memory"));
}

}  // namespace sparring::bindings
