// Binds a struct of options (game/options.hpp) as an immutable Python class: keyword arguments, read-only
// attributes, comparison, repr, and the list of its options.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <string>
#include <vector>

#include "game/options.hpp"

namespace sparring::bindings {

/// An option as Python sees it: the class NativeOption.
struct NativeOption {
    std::string name;
    nanobind::object default_value;
    Range range;
    std::string doc;
};

template <class C, class... T>
void bind_options(nanobind::class_<C>& type, std::string name, const std::tuple<Option<C, T>...>& options) {
    namespace nb = nanobind;
    std::apply(
        [&](const Option<C, T>&... option) {
            type.def(
                "__init__",
                [=](C* self, T... values) {
                    C made;
                    ((made.*option.member = values), ...);
                    check_options(made);
                    new (self) C(made);
                },
                nb::kw_only(), (nb::arg(option.name) = C{}.*option.member)...);
            (type.def_ro(option.name, option.member, option.doc), ...);
            type.def_static(
                "options",
                [=] {
                    return std::vector<NativeOption>{
                        {option.name, nb::cast(C{}.*option.member), option.range, option.doc}...};
                },
                "The options with their defaults, ranges and docs.");
            const auto repr = [=](const C& self) {
                std::string text = name + "(";
                ((text += (text.back() == '(' ? "" : ", ") + std::string(option.name) + "=" +
                          nb::repr(nb::cast(self.*option.member)).c_str()),
                 ...);
                return text + ")";
            };
            type.def("__repr__", repr)
                .def("__hash__",
                     [=](const C& self) {
                         return static_cast<Py_hash_t>(std::hash<std::string>{}(repr(self)) >> 2);
                     })
                .def(
                    "__eq__",
                    [](const C& a, nb::handle b) {
                        return nb::isinstance<C>(b) && a == nb::cast<const C&>(b);
                    },
                    nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"));
        },
        options);
}

}  // namespace sparring::bindings
