// The parameters of PUCT, the same for every game.
#include "bindings/options.hpp"
#include "search/puct_config.hpp"

namespace sparring::bindings {

namespace nb = nanobind;

void bind_puct(nb::module_& m) {
    using Native = NativeOption;
    nb::class_<Native>(m, "NativeOption", "The declaration of an option in the native core.")
        .def_ro("name", &Native::name)
        .def_prop_ro(
            "default", [](const Native& option) { return option.default_value; },
            nb::sig("def default(self) -> bool | int | float"))
        .def_prop_ro(
            "low", [](const Native& option) { return option.range.low; }, "Least value.")
        .def_prop_ro(
            "high", [](const Native& option) { return option.range.high; },
            "Greatest value; if that is infinity, infinity is a value.")
        .def_prop_ro(
            "open_low", [](const Native& option) { return option.range.open_low; },
            "Whether `low` itself is no value.")
        .def_ro("doc", &Native::doc);

    using C = search::PuctConfig;
    nb::class_<C> config(
        m, "PuctConfig",
        "The parameters of a PUCT search.\n\n"
        "Q is a move's mean value, P its prior, N(a) its visits and N their sum. A move's score is Q + c(N) "
        "P sqrt(N) / (1 + N(a)). Raises ValueError for a value out of range.");
    bind_options(config, "PuctConfig", C::options());
    config.def("batch_size", &C::batch_size, nb::arg("visits"),
               "The number of leaves to evaluate together in a tree with so many visits, from 1 to `batch`.");
}

}  // namespace sparring::bindings
