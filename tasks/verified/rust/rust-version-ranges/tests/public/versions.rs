use verspan::Version;

#[test]
fn full_versions_are_read() {
    let version = Version::parse("10.0.27-rc.1.x-y").unwrap();
    assert_eq!((version.major, version.minor, version.patch), (10, 0, 27));
    assert_eq!(version.pre, vec!["rc", "1", "x-y"]);
}

#[test]
fn releases_have_no_pre_release_parts() {
    assert!(!Version::parse("1.2.3").unwrap().is_pre_release());
    assert!(Version::parse("1.2.3-0").unwrap().is_pre_release());
}

#[test]
fn versions_are_written_as_they_were_read() {
    for text in ["0.0.0", "1.20.300", "4.5.6-alpha.7"] {
        assert_eq!(Version::parse(text).unwrap().to_string(), text);
    }
}

#[test]
fn misspelt_versions_are_refused() {
    for text in [
        "",
        "1",
        "1.2",
        "1.2.3.4",
        "1.2.x",
        "01.2.3",
        "1.2.3-",
        "1.2.3-a..b",
        "1.2.3-01",
        "v1.2.3",
    ] {
        let error = Version::parse(text).unwrap_err();
        assert_eq!(error, format!("bad version \"{text}\""));
    }
}

#[test]
fn numbers_have_at_most_nine_digits() {
    assert_eq!(Version::parse("999999999.0.0").unwrap().major, 999_999_999);
    assert!(Version::parse("1000000000.0.0").is_err());
}
