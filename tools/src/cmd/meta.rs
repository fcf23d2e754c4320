//! `lith meta`: all that the metadata of a file says.

use crate::args::Meta;
use crate::failure::Result;
use crate::meta;
use crate::output::print_documents;

pub(super) fn run(args: &Meta) -> Result {
    print_documents(&args.files.paths, args.format, |path, document| {
        Ok(meta::print(path, document)?)
    })
}
