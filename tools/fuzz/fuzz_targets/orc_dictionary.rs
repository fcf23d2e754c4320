#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lith_fuzz::run("orc_dictionary", data));
