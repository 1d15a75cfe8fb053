"""Every row of docs/cases.md, groups A and B, has its tests; each named test is really there.

Saved machines are told by their file, tests by ``folder/file.py::name``. Rows whose work is done in
other rooms name the tests there.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.envcheck.saved_machines import derived

ROOT = Path(__file__).resolve().parents[2]
WITH_TORCH = "envcheck/test_envcheck_with_torch.py"
COLLECTORS = "envcheck/test_envcheck_collectors.py"
LEVELS = "envcheck/test_envcheck_levels.py"
HOST_FACTS = "envcheck/test_envcheck_host_facts.py"
TRIAL = "workloads/test_workloads_trial.py"
REAL = "envcheck/test_envcheck_real_environments.py"
ROWS: dict[int, tuple[str, ...]] = {
    1: (
        "hosts/case01-no-gpu", "hosts/case01-no-toolkit", "hosts/case01-snap",
        "hosts/case01-not-registered",
        f"{COLLECTORS}::test_a_probe_container_that_gets_no_gpu_is_recorded",
        "engines/test_engines_gpu.py::test_the_same_refusal_has_a_remedy_for_each_cause",
    ),
    3: (
        "hosts/case03-half-updated", "hosts/case03-patch-level",
        f"{COLLECTORS}::test_nvidia_smi_is_judged_by_text_and_status",
        f"{COLLECTORS}::test_library_versions_are_whole",
    ),
    5: (
        "hosts/case05-driver-550-base-128", "hosts/case05-driver-550-table",
        "hosts/case05-driver-535", "hosts/geforce-old-driver", "hosts/h200-old-driver",
        "engines/test_engines_gpu.py::test_old_driver_is_not_blamed_on_the_toolkit",
    ),
    6: (
        "hosts/case06-driver-470", "environments/case06-found-11040",
        f"{LEVELS}::test_the_found_version_is_a_cuda_level",
    ),
    8: (
        "environments/case08-two-libcuda",
        f"{COLLECTORS}::test_libraries_on_the_library_path_are_named",
    ),
    9: (
        "hosts/case09-no-uvm-node", "environments/case09-no-uvm", "environments/case09-hidden",
        "environments/case09-utility-only",
    ),
    10: (
        "hosts/case10-nouveau", "hosts/case10-secure-boot", "hosts/case10-other-kernel",
        "hosts/case10-no-driver",
        f"{COLLECTORS}::test_nvidia_smi_is_judged_by_text_and_status",
    ),
    12: (
        "environments/case12-64m", "environments/case12-1g", "environments/case12-16g",
        "engines/test_engines_docker.py::test_shared_memory_and_processes_are_set",
    ),
    13: (
        "hosts/case13-idle", "hosts/case13-busy-gen1", "hosts/case13-busy-x1",
        "hosts/case13-busy-full",
    ),
    15: ("hosts/case15-wsl", f"{LEVELS}::test_an_error_text_names_its_cause"),
    16: (
        "hosts/case16-persistence-off",
        "workloads/test_workloads_measure.py::test_a_slow_first_call_does_not_move_the_median",
    ),
    17: (
        "environments/case17-error-802", "environments/case17-error-803",
        "environments/case17-error-804",
    ),
    19: (
        "hosts/case05-driver-550-table",
        "images/test_images_table.py::test_torch_28_has_no_wheel_for_cuda_124",
        "envcheck/test_envcheck_hosts.py::test_a_declared_toolkit_difference_is_information",
    ),
    21: (
        "environments/torch113-4090d", "environments/case21-list-ends-at-70",
        "environments/case21-113-on-hopper", "environments/case21-only-90",
        f"{LEVELS}::test_a_card_is_served_by_its_own_major_or_by_ptx",
    ),
    23: (
        "environments/case23-nvcc-117-for-89", "environments/case23-distribution-nvcc",
        f"{LEVELS}::test_nvcc_of_117_knows_neither_89_nor_90",
        "images/test_images_render.py::test_each_environment_has_its_own_architectures",
        "kernels/test_kernels_toolchain.py::test_cases_23_and_24_with_the_real_torch",
    ),
    24: (
        "environments/case24-list-refused",
        f"{WITH_TORCH}::test_case_24_a_list_is_judged_as_torch_itself_judges_it",
        "kernels/test_kernels_toolchain.py::test_cases_23_and_24_with_the_real_torch",
    ),
    26: (
        "environments/case26-major", "environments/case26-major-cpu",
        "environments/case26-minor-undeclared",
        f"{WITH_TORCH}::test_case_26_nvcc_is_held_against_the_wheel_as_torch_does",
        f"{WITH_TORCH}::test_case_26_a_major_difference_fails_where_a_gpu_is_wanted",
        "kernels/test_kernels_toolchain.py::test_case_26_with_the_real_torch",
    ),
    28: (
        "environments/case28-gcc-12", "environments/case28-gcc-11", "environments/case28-gcc-9",
        f"{WITH_TORCH}::test_case_28_gcc_is_held_against_nvcc_as_torch_does",
        f"{LEVELS}::test_an_error_text_names_its_cause",
    ),
    29: (
        "environments/case29-no-nvcc",
        f"{WITH_TORCH}::test_case_29_without_a_toolkit_only_the_kernels_rows_are_hit",
        "images/test_images_table.py::test_ten_faults_are_said_in_one_go",
    ),
    30: (
        "environments/case30-setuptools-82",
        f"{WITH_TORCH}::test_case_30_a_missing_pkg_resources_matters_to_the_old_torch_only",
        "images/test_images_lock.py::test_the_old_torch_gets_what_it_can_use",
    ),
    31: (
        "environments/case31-numpy-2",
        f"{REAL}::test_case_31_numpy_2_under_each_torch",
        f"{WITH_TORCH}::test_case_31_numpy_is_judged_by_a_round_trip",
        "images/test_images_lock.py::test_the_old_torch_gets_what_it_can_use",
    ),
    32: (
        "environments/case32-shadowed", "environments/case32-loaded-from-system",
        f"{COLLECTORS}::test_libraries_on_the_library_path_are_named",
    ),
    34: (
        "environments/case34-vision-0221", "environments/case34-suffixes",
        "environments/case34-nms", "environments/case34-vision-0151",
    ),
    35: (
        "environments/case35-flash-attn", "environments/case35-xformers",
        f"{WITH_TORCH}::test_case_35_a_broken_addon_is_a_warning",
        f"{WITH_TORCH}::test_case_35_xformers_says_what_it_was_built_for",
    ),
    37: (
        "environments/case37-ninja-not-on-path", "environments/case37-no-ninja",
        f"{WITH_TORCH}::test_case_37_ninja_without_its_folder_on_path",
    ),
    39: (
        "envcheck/test_envcheck_extension.py::test_a_build_for_another_torch_is_not_taken",
        "kernels/test_kernels_store.py::test_anything_that_matters_changes_the_folder",
        "kernels/test_kernels_build.py::test_two_torches_give_two_folders",
        "kernels/test_kernels_build.py::test_a_stale_library_is_not_loaded",
    ),
    40: (
        "environments/case40-no-compiler", "environments/case40-no-c-compiler",
        "environments/case40-no-headers", "environments/case40-no-libcuda",
        f"{LEVELS}::test_an_error_text_names_its_cause",
        f"{WITH_TORCH}::test_case_40_without_a_compiler_the_compiled_rows_are_out",
        f"{TRIAL}::test_compile_without_a_compiler_is_skipped_by_name",
    ),
    41: (
        f"{WITH_TORCH}::test_case_41_an_absent_feature_is_information",
        f"{TRIAL}::test_compiled_is_unsupported_exactly_where_torch_has_no_compile",
    ),
}  # fmt: skip


def rows_of(*groups: str) -> list[int]:
    """Numbers of the rows under the headings that begin with these letters."""
    found, here = [], ""
    for line in (ROOT / "docs" / "cases.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            here = line[3:4]
        match = re.match(r"\| (\d+) \|", line)
        if match and here in groups:
            found.append(int(match.group(1)))
    return found


def test_every_row_of_both_groups_is_covered() -> None:
    """A row that is added to the page needs its tests."""
    assert rows_of("A", "B") == list(ROWS)


@pytest.mark.parametrize("row", list(ROWS))
def test_the_tests_of_a_row_exist(row: int) -> None:
    """No name in the table is a promise."""
    for name in ROWS[row]:
        folder, _, rest = name.partition("/")
        if "::" not in name:
            assert rest in derived(folder), name
            continue
        path, _, function = name.partition("::")
        text = (ROOT / "tests" / path).read_text(encoding="utf-8")
        assert f"def {function}(" in text, name


def test_every_saved_case_belongs_to_a_row() -> None:
    """A file called caseNN is named by the row NN, or by a row of another group."""
    named = {name for row in ROWS.values() for name in row}
    for folder in ("hosts", "environments"):
        for name in derived(folder):
            match = re.match(r"case(\d+)-", name)
            if match and int(match.group(1)) in ROWS:
                assert f"{folder}/{name}" in named
