//! Keys of encrypted files as the command line gives them.
//!
//! ```text
//! footer=KEY       the footer's            column.path=KEY   a column's
//! key-id=KEY       whatever has this text, or these bytes as hex:.. or 0x.., as key metadata; a master key of ORC
//! KEY              hexadecimal of 16, 24 or 32 bytes, else base64; hex:..  base64:..  text:..  say which
//!                  @FILE  what a file holds: one of these, white space around it left out, or the bytes of the key
//! ```
//! No message holds a key or what might be one. Keys that no file asked for are told of at the end.

use std::sync::atomic::{AtomicBool, Ordering};

use lith_format::cipher::Key;
use lith_format::error::{Error, ErrorKind, Result};
use lith_reader::keys::{Decryption, KeyRequest, KeyRetriever, Keys};

use crate::args::KeyArgs;
use crate::failure::print_stderr;

/// How the footer's key is called.
const FOOTER: &str = "footer";

/// What the command line gives to decrypt files with.
///
/// # Errors
/// What is no key.
pub fn decryption(args: &KeyArgs) -> Result<Decryption> {
    let mut given = Given::default();
    for (number, secret) in (1..).zip(&args.keys) {
        given.add(&secret.0).map_err(|error| {
            let message = format!("--key number {number}: {}", error.message());
            Error::new(error.kind(), message)
        })?;
    }
    let mut decryption = Decryption::default();
    if !given.each.is_empty() {
        decryption = Decryption::with_keys(given);
    }
    decryption.aad_prefix = args.aad_prefix.clone().map(String::into_bytes);
    Ok(decryption)
}

/// The keys that were given, and which of them were asked for.
#[derive(Debug, Default)]
struct Given {
    all: Keys,
    /// Each by itself, and whether a file asked for it.
    each: Vec<(Keys, AtomicBool)>,
}

impl Given {
    fn add(&mut self, given: &str) -> Result<()> {
        let mut alone = Keys::default();
        add(&mut alone, given)?;
        self.each.push((alone, AtomicBool::new(false)));
        add(&mut self.all, given)
    }

    /// The numbers of those that nothing asked for, from 1.
    fn unused(&self) -> Vec<usize> {
        let numbered = (1..).zip(&self.each);
        let unused = numbered.filter(|(_, (_, used))| !used.load(Ordering::Relaxed));
        unused.map(|(number, _)| number).collect()
    }
}

impl KeyRetriever for Given {
    fn key(&self, request: &KeyRequest<'_>) -> Result<Option<Key>> {
        for (keys, used) in &self.each {
            used.fetch_or(keys.key(request)?.is_some(), Ordering::Relaxed);
        }
        self.all.key(request)
    }
}

/// When no file is open any more, it is known which keys were needed. Queries need only those of what they read.
impl Drop for Given {
    fn drop(&mut self) {
        for number in self.unused() {
            print_stderr(&format!(
                "--key number {number} was not used: nothing that was read is encrypted with a key of that name"
            ));
        }
    }
}

fn add(keys: &mut Keys, given: &str) -> Result<()> {
    // base64 may end with signs of equality, names may hold them
    let name_end = given.trim_end_matches('=').rfind('=');
    let (name, text) = match name_end {
        Some(end) if end > 0 => (&given[..end], &given[end + 1..]),
        _ => return Err(Error::invalid("expected NAME=KEY")),
    };
    let key = match text.strip_prefix('@') {
        None => key(text)?,
        Some(path) => {
            let held = std::fs::read(path)
                .map_err(|error| Error::new(ErrorKind::Io, format!("{path}: {error}")))?;
            key_of_file(&held)?
        }
    };
    if name == FOOTER {
        keys.set_footer(key);
    }
    keys.set_column(name, key);
    keys.set_id(name.as_bytes(), key);
    let digits = name.strip_prefix("hex:").or(name.strip_prefix("0x"));
    if let Some(metadata) = digits.and_then(hex) {
        keys.set_id(&metadata, key);
    }
    Ok(())
}

/// What a file holds: a key as text, else as it is.
fn key_of_file(held: &[u8]) -> Result<Key> {
    let text = std::str::from_utf8(held).map(|text| key(text.trim()));
    match text {
        Ok(Ok(key)) => Ok(key),
        Ok(Err(error)) => Key::new(held).map_err(|_| error),
        Err(_) => Key::new(held),
    }
}

fn key(text: &str) -> Result<Key> {
    let bytes = match text.split_once(':') {
        Some(("hex", digits)) => hex(digits),
        Some(("base64", digits)) => base64(digits),
        Some(("text", text)) => Some(text.as_bytes().to_vec()),
        _ => hex(text)
            .filter(|bytes| Key::new(bytes).is_ok())
            .or_else(|| base64(text)),
    };
    Key::new(&bytes.ok_or_else(|| Error::invalid("the key is neither hexadecimal nor base64"))?)
}

fn hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u32>> = text.chars().map(|digit| digit.to_digit(16)).collect();
    let (pairs, []) = digits.as_ref()?.as_chunks::<2>() else {
        return None;
    };
    Some(
        pairs
            .iter()
            .map(|[high, low]| (high << 4 | low) as u8)
            .collect(),
    )
}

fn base64(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    let (mut out, mut bits, mut held) = (Vec::new(), 0, 0u32);
    for digit in digits.bytes() {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        held = held << 6 | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push((held >> bits) as u8);
            held &= (1 << bits) - 1;
        }
    }
    // what is left over stands for no byte
    (bits < 6 && held == 0).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Secret;

    fn given(keys: &[&str]) -> Result<Decryption> {
        decryption(&KeyArgs {
            keys: keys.iter().map(|key| Secret((*key).into())).collect(),
            aad_prefix: Some("tester".into()),
        })
    }

    #[test]
    fn keys_are_hexadecimal_base64_text_or_in_a_file() {
        let key16 = Key::new(b"0123456789012345").unwrap();
        for text in [
            "30313233343536373839303132333435",
            "MDEyMzQ1Njc4OTAxMjM0NQ==",
            "MDEyMzQ1Njc4OTAxMjM0NQ",
            "hex:30313233343536373839303132333435",
            "base64:MDEyMzQ1Njc4OTAxMjM0NQ==",
            "text:0123456789012345",
        ] {
            assert_eq!(key(text).unwrap(), key16, "{text}");
        }
        let bytes: Vec<u8> = (0..32).map(|byte| byte * 5 + 96).collect();
        assert_eq!(
            key("YGVqb3R5foOIjZKXnKGmq7C1ur/Eyc7T2N3i5+zx9vs=").ok(),
            Key::new(&bytes).ok()
        );
        for wrong in [
            "",
            "0",
            "zz",
            "MDEyMzQ1Njc4OTAxMjM0NR==",
            "text:short",
            "hex:3",
            "base64:MD",
        ] {
            let error = key(wrong).unwrap_err().to_string();
            assert!(wrong.len() < 3 || !error.contains(wrong), "{error}");
        }
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "30313233343536373839303132333435\n").unwrap();
        let mut keys = Keys::default();
        add(&mut keys, &format!("footer=@{}", file.path().display())).unwrap();
        assert!(!keys.is_empty());
        let error = add(&mut keys, "footer=@/none/such").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Io);
        assert!(error.message().contains("/none/such"), "{error}");
        assert_eq!(key_of_file(b"0123456789012345").unwrap(), key16);
        assert_eq!(
            key_of_file(&[0xff; 16]).unwrap(),
            Key::new(&[0xff; 16]).unwrap()
        );
        assert!(key_of_file(&[0xff; 15]).is_err());
    }

    #[test]
    fn names_are_told_from_keys_and_errors_hold_neither() {
        let found = given(&[
            "a=b=MDEyMzQ1Njc4OTAxMjM0NQ==",
            "footer=text:0123456789012345",
        ]);
        let found = found.unwrap();
        assert_eq!(found.aad_prefix.as_deref(), Some(&b"tester"[..]));
        assert!(given(&[]).unwrap().keys.is_none());
        for wrong in [
            "MDEyMzQ1Njc4OTAxMjM0NQ==",
            "=text:0123456789012345",
            "kf=secret",
        ] {
            let error = given(&["kf=text:0123456789012345", wrong])
                .err()
                .unwrap()
                .to_string();
            assert!(error.contains("--key number 2"), "{error}");
            assert!(!error.contains("MDE") && !error.contains("0123"), "{error}");
            assert!(!error.contains("secret"), "{error}");
        }
        let mut keys = Keys::default();
        add(&mut keys, "hex:6bff=MDEyMzQ1Njc4OTAxMjM0NQ==").unwrap();
        for (metadata, is_found) in [(&b"k\xff"[..], true), (b"k", false)] {
            let found = keys.key(&KeyRequest::new(None, Some(metadata))).unwrap();
            assert_eq!(found.is_some(), is_found);
        }
        add(&mut keys, "a=b=MDEyMzQ1Njc4OTAxMjM0NQ==").unwrap();
        let path = ["a=b".to_string()];
        let request = KeyRequest::new(Some(&path), None);
        assert!(keys.key(&request).unwrap().is_some());
    }

    #[test]
    fn keys_that_are_not_asked_for_are_known() {
        let mut given = Given::default();
        let one = "text:0123456789012345";
        for name in ["footer", "0x6b31", "k1", "other"] {
            given.add(&format!("{name}={one}")).unwrap();
        }
        assert_eq!(given.unused(), [1, 2, 3, 4]);
        let path = ["c".to_string()];
        let column = KeyRequest::new(Some(&path), Some(b"k1"));
        assert!(given.key(&column).unwrap().is_some());
        assert_eq!(given.unused(), [1, 4]);
        assert!(given.key(&KeyRequest::new(None, None)).unwrap().is_some());
        assert_eq!(given.unused(), [4]);
    }
}
