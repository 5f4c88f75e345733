// One function a game, or a family of networks, adds its names to the module.
#pragma once

#include <nanobind/nanobind.h>

namespace sparring::bindings {

void bind_searcher(nanobind::module_& m);
void bind_chess(nanobind::module_& m);
void bind_rbc(nanobind::module_& m);
void bind_rbc_board_set(nanobind::module_& m);
void bind_expendibots(nanobind::module_& m);
void bind_expendibots_endgames(nanobind::module_& m);
void bind_expendibots_network(nanobind::module_& m);
void bind_breakthrough(nanobind::module_& m);
void bind_shogi(nanobind::module_& m);
void bind_go(nanobind::module_& m);
void bind_records(nanobind::module_& m);
void bind_batches(nanobind::module_& m);
void bind_maia3(nanobind::module_& m);
void bind_dlshogi(nanobind::module_& m);
void bind_katago(nanobind::module_& m);
void bind_lc0(nanobind::module_& m);
void bind_symmetry(nanobind::module_& m);
void bind_puct(nanobind::module_& m);

}  // namespace sparring::bindings
