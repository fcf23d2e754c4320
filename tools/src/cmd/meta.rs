//! `lith meta`: all metadata of a file, field by field.

use crate::args::Meta;
use crate::failure::Result;
use crate::keys::decryption;
use crate::meta;
use crate::output::print_documents;

pub(super) fn run(args: &Meta) -> Result {
    let decryption = decryption(&args.files.keys)?;
    print_documents(&args.files.paths, args.format, |path, document| {
        Ok(meta::print(path, &decryption, document)?)
    })
}
