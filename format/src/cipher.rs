//! Keys of AES, and AES in counter mode, which ORC encrypts with.
//!
//! ```text
//! block n of 16 bytes = its encryption XOR AES(key, IV + n)        IV + n: big-endian, of 16 bytes
//! ```
//! Any byte can be decrypted by itself, and a wrong key is not noticed here. Errors and `Debug` output never show a key.
// spec: ORCv1.md, "Stream Encryption"

use std::fmt;

use aes::{Aes128, Aes192, Aes256};
use ctr::CtrCore;
use ctr::cipher::consts::U16;
use ctr::cipher::{
    BlockCipherEncrypt, BlockSizeUser, InnerIvInit, KeyInit, StreamCipher, StreamCipherCoreWrapper,
    StreamCipherSeek,
};
use ctr::flavors::Ctr128BE;

use crate::error::{Error, Result};

/// An initialization vector: the first value of the counter. Under one key, no value may encrypt two blocks.
pub type Iv = [u8; 16];

/// A key of AES.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// Of 128 bits.
    Aes128([u8; 16]),
    /// Of 192 bits.
    Aes192([u8; 24]),
    /// Of 256 bits.
    Aes256([u8; 32]),
}

impl Key {
    /// A key of 16, 24 or 32 bytes.
    ///
    /// # Errors
    /// Another number of bytes.
    pub fn new(bytes: &[u8]) -> Result<Self> {
        let aes128 = bytes.try_into().map(Key::Aes128);
        let aes192 = || bytes.try_into().map(Key::Aes192);
        let key = aes128.or_else(|_| aes192());
        let key = key.or_else(|_| bytes.try_into().map(Key::Aes256));
        key.map_err(|_| {
            let message = format!("a key of {} bytes: AES takes 16, 24 or 32", bytes.len());
            Error::invalid(message)
        })
    }

    /// The key itself.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Key::Aes128(key) => key,
            Key::Aes192(key) => key,
            Key::Aes256(key) => key,
        }
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Key::Aes128(_) => "Key(128 bits)",
            Key::Aes192(_) => "Key(192 bits)",
            Key::Aes256(_) => "Key(256 bits)",
        })
    }
}

/// AES in counter mode with a key.
pub struct CounterMode(Box<dyn Cipher>);

impl fmt::Debug for CounterMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CounterMode")
    }
}

impl CounterMode {
    /// With `key`.
    pub fn new(key: &Key) -> Self {
        CounterMode(match key {
            Key::Aes128(key) => Box::new(Block(Aes128::new(key.into()))),
            Key::Aes192(key) => Box::new(Block(Aes192::new(key.into()))),
            Key::Aes256(key) => Box::new(Block(Aes256::new(key.into()))),
        })
    }

    /// Decrypts, or encrypts, in place the bytes that begin `offset` bytes after the block that `iv` encrypts.
    ///
    /// # Errors
    /// More bytes than can be counted.
    pub fn apply(&self, iv: &Iv, offset: u64, bytes: &mut [u8]) -> Result<()> {
        self.0.apply(iv, offset, bytes)
    }
}

trait Cipher: Send + Sync {
    fn apply(&self, iv: &Iv, offset: u64, bytes: &mut [u8]) -> Result<()>;
}

struct Block<B>(B);

impl<B> Cipher for Block<B>
where
    B: BlockCipherEncrypt + BlockSizeUser<BlockSize = U16> + Send + Sync,
{
    fn apply(&self, iv: &Iv, offset: u64, bytes: &mut [u8]) -> Result<()> {
        let too_far = || Error::limit("more encrypted bytes than can be counted");
        let core = CtrCore::<_, Ctr128BE>::inner_iv_init(&self.0, &(*iv).into());
        let mut stream = StreamCipherCoreWrapper::from_core(core);
        stream.try_seek(offset).map_err(|_| too_far())?;
        stream.try_apply_keystream(bytes).map_err(|_| too_far())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    /// The test vectors F.5.1 and F.5.5 of NIST SP 800-38A: the same four blocks with keys of 128 and 256 bits.
    const IV: &str = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff";
    const PLAIN: &str = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
                         30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710";
    const VECTORS: [(&str, &str); 2] = [
        (
            "2b7e151628aed2a6abf7158809cf4f3c",
            "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff\
             5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee",
        ),
        (
            "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
            "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5\
             2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6",
        ),
    ];

    fn bytes(hex: &str) -> Vec<u8> {
        let digit = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
        (0..hex.len()).step_by(2).map(digit).collect()
    }

    #[test]
    fn published_vectors_are_decrypted_from_any_byte_on() {
        let iv: Iv = bytes(IV).try_into().unwrap();
        for (key, encrypted) in VECTORS {
            let cipher = CounterMode::new(&Key::new(&bytes(key)).unwrap());
            for start in 0..=64 {
                let mut found = bytes(encrypted).split_off(start);
                cipher.apply(&iv, start as u64, &mut found).unwrap();
                assert_eq!(found, bytes(PLAIN)[start..], "{start}");
            }
        }
    }

    #[test]
    fn counting_goes_beyond_eight_bytes() {
        let cipher = CounterMode::new(&Key::new(&[7; 16]).unwrap());
        let (low, high) = (u128::from(u64::MAX), u128::from(u64::MAX) + 1);
        let block = |iv: u128, offset| {
            let mut bytes = [0; 16];
            cipher.apply(&iv.to_be_bytes(), offset, &mut bytes).unwrap();
            bytes
        };
        assert_eq!(block(low, 16), block(high, 0));
        assert_eq!(block(u128::MAX, 16), block(0, 0));
    }

    #[test]
    fn keys_are_of_three_lengths_and_not_shown() {
        for length in [16, 24, 32] {
            let key = Key::new(&vec![0x61; length]).unwrap();
            assert!(!format!("{key:?}{:?}", CounterMode::new(&key)).contains("97"));
        }
        let error = Key::new(&[0; 17]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    }
}
