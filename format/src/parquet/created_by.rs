//! Identifies the writer of a file, and the known bugs in its statistics and sizes.
//!
//! `<application> version <major>.<minor>.<patch>[-<pre-release>] (build <hash>)`
// spec: parquet.thrift, FileMetaData.created_by

/// Application and version out of a footer's `created_by`: the text is parsed once for all columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CreatedBy {
    /// The application.
    pub application: Application,
    /// The version, if it reads as one.
    pub version: Option<Version>,
}

/// Applications of which something is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Application {
    /// The footer does not say.
    Unnamed,
    /// What the footer says is not text: it may be any.
    Unreadable,
    /// `parquet-mr`, now parquet-java.
    ParquetMr,
    /// `parquet-cpp` before it was part of Arrow.
    ParquetCpp,
    /// `parquet-cpp-arrow`.
    ParquetCppArrow,
    /// Any other.
    Other,
}

impl Application {
    fn parse(name: &str) -> Self {
        let known = [
            ("", Application::Unnamed),
            ("parquet-mr", Application::ParquetMr),
            ("parquet-cpp", Application::ParquetCpp),
            ("parquet-cpp-arrow", Application::ParquetCppArrow),
        ];
        let found = known
            .iter()
            .find(|(known, _)| name.eq_ignore_ascii_case(known));
        found.map_or(Application::Other, |(_, application)| *application)
    }
}

/// A version; a pre-release is before its release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// Major number.
    pub major: u32,
    /// Minor number.
    pub minor: u32,
    /// Patch number.
    pub patch: u32,
    /// Whether it is no pre-release.
    pub release: bool,
}

impl Version {
    const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Version {
            major,
            minor,
            patch,
            release: true,
        }
    }

    fn parse(text: &str) -> Option<Version> {
        let text = text.strip_prefix('v').unwrap_or(text);
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.');
        let (numbers, rest) = text.split_at(end.unwrap_or(text.len()));
        let mut numbers = numbers.split('.').map(str::parse);
        let mut number = || numbers.next()?.ok();
        Some(Version {
            major: number()?,
            minor: number()?,
            patch: number()?,
            release: !rest.starts_with('-'),
        })
    }
}

impl CreatedBy {
    /// Takes `text` apart.
    pub fn parse(text: Option<&str>) -> Self {
        let text = text.unwrap_or_default();
        if text.contains(char::REPLACEMENT_CHARACTER) {
            return CreatedBy {
                application: Application::Unreadable,
                version: None,
            };
        }
        let (application, version) = text.split_once(" version ").unwrap_or((text, ""));
        CreatedBy {
            application: Application::parse(application.trim()),
            version: Version::parse(version.trim_start()),
        }
    }

    fn is_before(&self, application: Application, version: Version) -> bool {
        self.application == application && self.version.is_none_or(|own| own < version)
    }

    /// PARQUET-251: byte-array bounds may belong to another row group. Who does not say its name may
    /// be the culprit.
    pub fn mixes_up_byte_array_bounds(&self) -> bool {
        matches!(
            self.application,
            Application::Unnamed | Application::Unreadable
        ) || self.is_before(Application::ParquetMr, Version::new(1, 8, 1))
    }

    /// Whether bounds of decimals in byte arrays of fixed length compare numbers (PARQUET-1655).
    pub fn orders_fixed_decimals(&self) -> bool {
        !matches!(
            self.application,
            Application::ParquetCpp | Application::Unreadable
        ) && !self.is_before(Application::ParquetCppArrow, Version::new(4, 0, 0))
    }

    /// The same for byte arrays of any length, where few writers extend the sign before they compare.
    pub fn orders_variable_decimals(&self) -> bool {
        let known = [Application::ParquetMr, Application::ParquetCppArrow];
        known.contains(&self.application) && self.orders_fixed_decimals()
    }

    /// PARQUET-816: the size of a chunk lacks the dictionary page's header.
    pub fn forgets_dictionary_header(&self) -> bool {
        self.is_before(Application::ParquetMr, Version::new(1, 2, 9))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by(text: &str) -> CreatedBy {
        CreatedBy::parse(Some(text))
    }

    #[test]
    fn names_and_versions_come_apart() {
        let duck = by("DuckDB version v2.0.1 (build 8d78114e90)");
        assert_eq!(duck.application, Application::Other);
        assert_eq!(duck.version, Some(Version::new(2, 0, 1)));
        let snapshot = by("parquet-mr version 1.13.0-SNAPSHOT (build 43)").version;
        assert!(snapshot < Some(Version::new(1, 13, 0)));
        assert!(snapshot > Some(Version::new(1, 12, 9)));
        for vague in [
            "",
            "parquet-mr",
            "HVR 5.3.0/9",
            "cpp version BuildInfo:1",
            "a version 1.2",
        ] {
            assert_eq!(by(vague).version, None);
        }
    }

    #[test]
    fn applications_are_known_in_any_case() {
        for (text, application) in [
            ("", Application::Unnamed),
            (" version 1.2.3", Application::Unnamed),
            (" Parquet-MR  version 1.2.3", Application::ParquetMr),
            ("parquet-cpp", Application::ParquetCpp),
            (
                "PARQUET-CPP-ARROW version 1.2.3",
                Application::ParquetCppArrow,
            ),
            ("parquet-cpp-arrows version 1.2.3", Application::Other),
        ] {
            assert_eq!(by(text).application, application, "{text:?}");
        }
        assert_eq!(CreatedBy::parse(None), by(""));
        let broken = by("parquet-cpp-arrow version 26.0.1\u{fffd}");
        assert_eq!(broken.application, Application::Unreadable);
        assert!(broken.mixes_up_byte_array_bounds() && !broken.orders_fixed_decimals());
        assert!(!broken.orders_variable_decimals());
    }

    #[test]
    fn known_culprits_are_known() {
        assert!(CreatedBy::parse(None).mixes_up_byte_array_bounds());
        assert!(by("parquet-mr").mixes_up_byte_array_bounds());
        assert!(by("parquet-mr version 1.8.0 (build 0f)").mixes_up_byte_array_bounds());
        assert!(by("parquet-mr version 1.8.1-SNAPSHOT").mixes_up_byte_array_bounds());
        assert!(!by("parquet-mr version 1.8.1 (build 4a)").mixes_up_byte_array_bounds());
        assert!(!by("UrbanLogiq").mixes_up_byte_array_bounds());
        assert!(!by("parquet-cpp version 1.5.1-SNAPSHOT").orders_fixed_decimals());
        assert!(!by("parquet-cpp-arrow version 3.0.0").orders_fixed_decimals());
        assert!(by("parquet-cpp-arrow version 26.0.1").orders_variable_decimals());
        assert!(by("parquet-rs version 55.1.0").orders_fixed_decimals());
        assert!(!by("parquet-rs version 55.1.0").orders_variable_decimals());
        assert!(by("parquet-mr version 1.2.8").forgets_dictionary_header());
        assert!(!by("parquet-mr version 1.10.1 (build a8)").forgets_dictionary_header());
    }
}
