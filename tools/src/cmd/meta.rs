//! `lith meta`: all metadata of a file, field by field.

use lith_reader::file::OpenOptions;

use crate::args::Meta;
use crate::failure::Result;
use crate::keys::decryption;
use crate::leaves::{Leaf, Wanted};
use crate::meta::{self, Shown};
use crate::output::print_documents;

pub(super) fn run(args: &Meta) -> Result {
    let mut options = OpenOptions::default();
    options.decryption = decryption(&args.files.keys)?;
    let mut wanted = Wanted::new(args.columns.as_deref());
    print_documents(&args.files.paths, args.format, |path, document| {
        let mut shown = Shown::default();
        // without names a file is shown that a scan would refuse
        if args.columns.is_some() {
            let leaves = wanted.select(&options.open(path)?, document.is_alone())?;
            if leaves.is_empty() {
                return Ok(());
            }
            shown.0 = Some(leaves.iter().map(Leaf::number_in_file).collect());
        }
        Ok(meta::print(path, &options.decryption, &shown, document)?)
    })?;
    Ok(wanted.end()?)
}
