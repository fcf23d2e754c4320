//! Prints the metrics of a scan, as text and as JSON.

use lith_reader::metrics::Metrics;
use serde_json::{Value, json};

use super::{bytes, count};
use crate::failure::print_stderr;

/// Two indented lines.
pub fn metrics_text(metrics: &Metrics) -> String {
    let n = |counter: &lith_reader::metrics::Counter| count(counter.get());
    format!(
        "  row groups: {} read, {} skipped by statistics, {} passed whole; of those read, {} pages or strides skipped\n  \
         read {}, decompressed to {}; {} pages, {} values decoded; {} rows looked at, {} passed\n",
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
    })
}

/// The words, on standard error.
pub fn print_metrics(metrics: &Metrics) {
    print_stderr(metrics_text(metrics).trim_end());
}
