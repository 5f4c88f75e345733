// Binds a plain struct of options as an immutable Python class: keyword arguments with the struct's own
// defaults, read-only attributes, comparison and repr. Each field is listed once.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <functional>
#include <string>

namespace sparring::bindings {

template <class C, class T>
struct Field {
    const char* name;
    T C::* member;
    const char* doc;
};
template <class C, class T>
Field(const char*, T C::*, const char*) -> Field<C, T>;

/// `check` is called with every new value and throws if it is not valid.
template <class C, class... T>
void bind_fields(nanobind::class_<C>& type, std::string name, void (*check)(const C&),
                 Field<C, T>... fields) {
    namespace nb = nanobind;
    type.def(
        "__init__",
        [=](C* self, T... values) {
            C made;
            ((made.*fields.member = values), ...);
            check(made);
            new (self) C(made);
        },
        nb::kw_only(), (nb::arg(fields.name) = C{}.*fields.member)...);
    (type.def_ro(fields.name, fields.member, fields.doc), ...);
    const auto repr = [=](const C& self) {
        std::string text = name + "(";
        ((text += (text.back() == '(' ? "" : ", ") + std::string(fields.name) + "=" +
                  nb::repr(nb::cast(self.*fields.member)).c_str()),
         ...);
        return text + ")";
    };
    type.def("__repr__", repr)
        .def("__hash__",
             [=](const C& self) { return static_cast<Py_hash_t>(std::hash<std::string>{}(repr(self)) >> 2); })
        .def(
            "__eq__",
            [](const C& a, nb::handle b) { return nb::isinstance<C>(b) && a == nb::cast<const C&>(b); },
            nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"));
}

}  // namespace sparring::bindings
