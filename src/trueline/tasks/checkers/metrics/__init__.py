"""Metrics by name: OSWorld's, reimplemented, some of ours, and those of installed packages (`trueline.metrics`).

A metric is a function `(result, expected, options) -> CheckResult`. It runs in a process of its own, see `isolated`.
Each file is imported when one of its metrics is called.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from trueline.errors import InputError
from trueline.registry import Registry
from trueline.tasks.checkers.agreement import is_proved
from trueline.tasks.checkers.values import CheckResult, Metric, Options, Value
from trueline.text import printable

_MODULES = {
    "exact_match": "text",
    "check_include_exclude": "text",
    "compare_text_file": "text",
    "compare_csv": "text",
    "check_list": "text",
    "check_json": "json_file",
    "compare_docx_files": "documents",
    "compare_table": "table",
    "diff_text_file": "text_files",
    "file_contains": "text_files",
    "check_line_number": "text_files",
    "compare_config": "text_files",
    "compare_result_files": "text_files",
    "compare_terminal_and_txt": "text_files",
    "is_included_all_json_objects": "text_files",
    "compare_python_pure_text": "text_files",
    "check_csv": "text_files",
    "check_json_settings": "editor_settings",
    "check_json_keybindings": "editor_settings",
    "check_qt_bgcone": "vlc",
    "check_qt_max_volume": "vlc",
    "check_qt_minimal_view": "vlc",
    "check_one_instance_when_started_from_file": "vlc",
    "check_play_and_exit": "vlc",
    "check_global_key_play_pause": "vlc",
    "check_qt_slider_colours": "vlc",
    "is_vlc_recordings_folder": "vlc",
    "is_vlc_playing": "vlc",
    "check_config_status": "application_settings",
    "check_presenter_console_disable": "application_settings",
    "find_default_font": "application_settings",
    "check_auto_saving_time": "application_settings",
    "check_libre_locale": "application_settings",
    "check_thunderbird_prefs": "thunderbird",
    "check_thunderbird_filter": "thunderbird",
    "check_thunderbird_folder": "thunderbird",
    "run_sqlite3": "database",
    "match_in_list": "plain_values",
    "is_in_list": "plain_values",
    "literal_match": "plain_values",
    "compare_answer": "plain_values",
    "check_direct_json_object": "plain_values",
    "is_extension_installed": "plain_values",
    "is_in_vm_clickboard": "plain_values",
    "check_gnome_favorite_apps": "plain_values",
    "is_utc_0": "plain_values",
    "check_text_enlarged": "plain_values",
    "check_moved_jpgs": "plain_values",
    "is_vlc_fullscreen": "plain_values",
    "must_include": "plain_values",
    "must_exclude": "plain_values",
    "check_path_existence": "plain_values",
    "check_path_nonexistence": "plain_values",
    "check_htop_version": "machine_state",
    "check_nodejs": "machine_state",
    "check_termcolor_version": "machine_state",
    "check_git_config": "machine_state",
    "check_env_editor": "machine_state",
    "check_service_active": "machine_state",
    "check_terminal_cnt": "machine_state",
    "check_file_cnt": "machine_state",
    "check_tab_cnt": "machine_state",
    "check_file_password": "machine_state",
    "is_expected_active_tab": "browser",
    "is_expected_active_tab_approximate": "browser",
    "is_expected_url_pattern_match": "browser",
    "is_expected_search_query": "browser",
    "is_expected_tabs": "browser",
    "is_expected_bookmarks": "browser",
    "is_expected_installed_extensions": "browser",
    "is_cookie_deleted": "browser",
    "check_history_deleted": "browser",
    "is_shortcut_on_desktop": "browser",
    "check_enabled_experiments": "browser",
    "check_font_size": "browser",
    "is_added_to_steam_cart": "browser",
    "compare_pptx_files": "slides",
    "check_slide_orientation_Portrait": "slide_checks",
    "evaluate_presentation_fill_to_rgb_distance": "slide_checks",
    "check_image_stretch_and_center": "slide_checks",
    "check_strikethrough": "slide_checks",
    "check_transition": "slide_checks",
    "check_page_number_colors": "slide_checks",
    "check_left_panel": "slide_checks",
    "compare_images": "images",
    "compare_image_list": "images",
    "check_structure_sim": "images",
    "check_structure_sim_with_threshold": "images",
    "check_structure_sim_resized": "images",
    "check_file_exists_and_structure_sim": "images",
    "check_palette_and_structure_sim": "images",
    "check_image_mirror": "images",
    "check_brightness_decrease_and_structure_sim": "images",
    "check_saturation_increase_and_structure_sim": "images",
    "increase_saturation": "images",
    "decrease_brightness": "images",
    "check_contrast_increase_and_structure_sim": "images",
    "check_image_size": "images",
    "check_image_file_size": "images",
    "check_textbox_on_leftside": "images",
    "check_triangle_position": "images",
    "check_green_background": "images",
    "compare_docx_tables": "word_formats",
    "compare_docx_images": "word_formats",
    "compare_init_lines": "word_formats",
    "compare_docx_lines": "word_formats",
    "compare_docx_files_and_ignore_new_lines": "word_formats",
    "compare_line_spacing": "word_formats",
    "compare_font_names": "word_formats",
    "compare_subscript_contains": "word_formats",
    "has_page_numbers_in_footers": "word_formats",
    "is_first_line_centered": "word_formats",
    "contains_page_break": "word_formats",
    "check_tabstops": "word_formats",
    "evaluate_strike_through_last_paragraph": "word_formats",
    "check_italic_font_size_14": "word_formats",
    "check_highlighted_words": "word_formats",
    "compare_references": "word_formats",
    "compare_unique_train_records": "word_formats",
    "fuzzy_place_math": "word_formats",
    "unchanged_except": "unchanged_except",
    "same_lines": "lines",
    "only_cell_filled": "single_cell",
    "some_file_holds": "search",
    "mail_is": "mail",
}
"""The file of each metric of ours; its function has the metric's name."""
_OURS = frozenset({"unchanged_except", "same_lines", "only_cell_filled", "some_file_holds", "mail_is"})
"""Metrics that are no function of OSWorld."""


def _adapt(name: str, found: object) -> Metric:
    shown = printable(name, 100)
    if not callable(found):
        raise InputError(f"metric {shown}: must be a function (result, expected, options) -> CheckResult")
    function = cast("Callable[[Value, Value, Options], object]", found)

    def metric(result: Value, expected: Value, options: Options) -> CheckResult:
        checked = function(result, expected, options)
        shown_value = printable(repr(checked), 100)
        if not isinstance(checked, CheckResult) or not 0 <= checked.score <= 1:
            raise TypeError(f"a metric must return a CheckResult with a score from 0 to 1, not {shown_value}")
        return checked

    return metric


METRICS: Registry[Metric] = Registry(
    "metric", "trueline.metrics", {name: f"{__name__}.{module}:{name}" for name, module in _MODULES.items()}, _adapt
)
"""The functions that a task's evaluator may name."""


def is_native(name: str, options: Options) -> bool:
    """Whether there is a metric of this name that takes these options.

    For a function of OSWorld's it must also have been proved that they agree, see `agreement`.

    Raises:
        InputError: Two packages use the name, or the package's metric cannot be imported.
    """
    if name in _MODULES and name not in _OURS and not is_proved(name):
        return False
    if name == "compare_table" and METRICS.provides(name):
        from trueline.tasks.checkers.metrics.table import supported

        return supported(options)
    return METRICS.provides(name)
