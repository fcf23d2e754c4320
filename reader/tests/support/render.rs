//! For tests that compare rows as JSON.

use lith_format::error::Result;
use lith_format::render::{render_json, render_json_row};
use lith_format::vector::Vector;
use lith_reader::scan::Scan;

/// All rows of a scan.
pub(crate) fn rows(scan: Scan) -> Result<Vec<String>> {
    let mut out = Vec::new();
    for batch in scan {
        let batch = batch?;
        for row in 0..batch.rows {
            let mut line = String::new();
            render_json_row(&batch, row, &mut line);
            out.push(line);
        }
    }
    Ok(out)
}

/// All slots of a vector.
pub(crate) fn slots(vector: &Vector) -> Vec<String> {
    let slot = |slot| {
        let mut out = String::new();
        render_json(vector, slot, &mut out);
        out
    };
    (0..vector.len).map(slot).collect()
}
