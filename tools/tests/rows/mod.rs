//! For tests that compare rows as JSON.

use lith_format::error::Result;
use lith_format::render::render_json_row;
use lith_reader::scan::Scan;

/// All rows of a scan.
pub fn rows(scan: Scan) -> Result<Vec<String>> {
    let mut rows = Vec::new();
    for batch in scan {
        let batch = batch?;
        rows.extend((0..batch.rows).map(|row| {
            let mut line = String::new();
            render_json_row(&batch, row, &mut line);
            line
        }));
    }
    Ok(rows)
}
