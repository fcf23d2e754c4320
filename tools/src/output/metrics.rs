//! Prints the metrics of a scan, as text and as JSON.

use lith_reader::metrics::{Metrics, Stage, StageTimes};
use serde_json::{Value, json};

use super::{bytes, count, seconds};
use crate::failure::print_stderr;

/// Three indented lines.
pub fn metrics_text(metrics: &Metrics) -> String {
    let n = |counter: &lith_reader::metrics::Counter| count(counter.get());
    let times =
        Stage::ALL.map(|stage| format!("{} {}", stage.name(), seconds(metrics.times.get(stage))));
    format!(
        "  time of all threads: {}\n  \
         row groups: {} read, {} skipped by statistics, {} passed whole; of those read, {} pages or strides skipped\n  \
         read {}, decompressed to {}; {} pages, {} values decoded; {} rows looked at, {} passed\n",
        times.join(", "),
        n(&metrics.row_groups_read),
        n(&metrics.row_groups_pruned),
        n(&metrics.row_groups_always),
        n(&metrics.strides_pruned),
        bytes(metrics.bytes_read.get()),
        bytes(metrics.bytes_decompressed.get()),
        n(&metrics.pages_decoded),
        n(&metrics.values_decoded),
        n(&metrics.rows_read),
        n(&metrics.rows_selected),
    )
}

/// Seconds by the names of stages, summed over threads.
pub fn times_json(times: &StageTimes) -> Value {
    let seconds = |stage: Stage| {
        (
            stage.name().to_owned(),
            json!(times.get(stage).as_secs_f64()),
        )
    };
    Value::Object(Stage::ALL.into_iter().map(seconds).collect())
}

/// The counters by their names.
pub fn metrics_json(metrics: &Metrics) -> Value {
    json!({
        "row_groups_read": metrics.row_groups_read.get(),
        "row_groups_pruned": metrics.row_groups_pruned.get(),
        "row_groups_always": metrics.row_groups_always.get(),
        "strides_pruned": metrics.strides_pruned.get(),
        "bytes_read": metrics.bytes_read.get(),
        "bytes_decompressed": metrics.bytes_decompressed.get(),
        "pages_decoded": metrics.pages_decoded.get(),
        "values_decoded": metrics.values_decoded.get(),
        "rows_read": metrics.rows_read.get(),
        "rows_selected": metrics.rows_selected.get(),
        "stage_seconds": times_json(&metrics.times),
    })
}

/// The words, on standard error.
pub fn print_metrics(metrics: &Metrics) {
    print_stderr(metrics_text(metrics).trim_end());
}
