use std::cmp::Ordering;
use verspan::{pick, Range, Version};

fn version(text: &str) -> Version {
    Version::parse(text).unwrap()
}

/// Which of the candidates belong to the range.
fn members(range: &str, candidates: &[&str]) -> Vec<String> {
    let range = Range::parse(range).unwrap();
    let inside = candidates.iter().filter(|c| range.contains(&version(c)));
    inside.map(|c| c.to_string()).collect()
}

fn ascending(texts: &[&str]) {
    for (i, left) in texts.iter().enumerate() {
        for (j, right) in texts.iter().enumerate() {
            let order = version(left).precedence(&version(right));
            assert!(order == i.cmp(&j), "{left} against {right}: {order:?}");
        }
    }
}

#[test]
fn releases_compare_by_their_numbers() {
    ascending(&[
        "0.0.9", "0.0.10", "0.2.0", "0.10.0", "1.0.0", "9.9.9", "10.0.0",
    ]);
}

#[test]
fn pre_releases_come_before_their_release() {
    ascending(&[
        "1.9.9",
        "2.0.0-0",
        "2.0.0-9",
        "2.0.0-10",
        "2.0.0-99999999999999999999999999999999999999998",
        "2.0.0-99999999999999999999999999999999999999999",
        "2.0.0--",
        "2.0.0-1a",
        "2.0.0-Beta",
        "2.0.0-alpha",
        "2.0.0-alpha.2",
        "2.0.0-alpha.2.0",
        "2.0.0-alpha.11",
        "2.0.0-alpha.b",
        "2.0.0-alphabet",
        "2.0.0",
    ]);
}

#[test]
fn bare_versions_span_what_they_leave_open() {
    let all = [
        "0.9.9", "1.0.0", "1.2.0", "1.2.3", "1.2.4", "1.3.0", "2.0.0",
    ];
    assert_eq!(
        members("1", &all),
        ["1.0.0", "1.2.0", "1.2.3", "1.2.4", "1.3.0"]
    );
    assert_eq!(members("=1.2", &all), ["1.2.0", "1.2.3", "1.2.4"]);
    assert_eq!(members("1.2.3", &all), ["1.2.3"]);
    assert_eq!(members("*", &all), all);
}

#[test]
fn comparisons_see_short_versions_as_spans() {
    let all = [
        "0.9.9", "1.0.0", "1.1.9", "1.2.0", "1.2.9", "1.3.0", "2.0.0", "2.0.1",
    ];
    assert_eq!(members(">1.2", &all), ["1.3.0", "2.0.0", "2.0.1"]);
    assert_eq!(members(">1", &all), ["2.0.0", "2.0.1"]);
    assert_eq!(members(">2.0.0", &all), ["2.0.1"]);
    assert_eq!(
        members(">=1.2", &all),
        ["1.2.0", "1.2.9", "1.3.0", "2.0.0", "2.0.1"]
    );
    assert_eq!(members("<1.2", &all), ["0.9.9", "1.0.0", "1.1.9"]);
    assert_eq!(
        members("<=1.2", &all),
        ["0.9.9", "1.0.0", "1.1.9", "1.2.0", "1.2.9"]
    );
    assert_eq!(
        members("<=1.2.0", &all),
        ["0.9.9", "1.0.0", "1.1.9", "1.2.0"]
    );
}

#[test]
fn caret_keeps_the_first_number_above_zero() {
    let all = [
        "0.0.0", "0.0.3", "0.0.4", "0.1.0", "0.2.0", "0.2.9", "0.3.0", "1.0.0", "1.2.3", "1.9.0",
        "2.0.0",
    ];
    assert_eq!(members("^1.2.3", &all), ["1.2.3", "1.9.0"]);
    assert_eq!(members("^1", &all), ["1.0.0", "1.2.3", "1.9.0"]);
    assert_eq!(members("^0.2.3", &all), ["0.2.9"]);
    assert_eq!(members("^0.0.3", &all), ["0.0.3"]);
    assert_eq!(members("^0.0.0", &all), ["0.0.0"]);
    assert_eq!(members("^0.0", &all), ["0.0.0", "0.0.3", "0.0.4"]);
    assert_eq!(
        members("^0", &all),
        ["0.0.0", "0.0.3", "0.0.4", "0.1.0", "0.2.0", "0.2.9", "0.3.0"]
    );
}

#[test]
fn tilde_keeps_the_minor_number_if_given() {
    let all = [
        "0.0.1", "0.1.0", "1.2.0", "1.2.3", "1.2.9", "1.3.0", "1.9.0", "2.0.0",
    ];
    assert_eq!(members("~1.2.3", &all), ["1.2.3", "1.2.9"]);
    assert_eq!(members("~1.2", &all), ["1.2.0", "1.2.3", "1.2.9"]);
    assert_eq!(
        members("~1", &all),
        ["1.2.0", "1.2.3", "1.2.9", "1.3.0", "1.9.0"]
    );
    assert_eq!(members("~0.0.0", &all), ["0.0.1"]);
}

#[test]
fn words_narrow_and_bars_widen() {
    let all = ["1.0.0", "1.5.0", "2.0.0", "2.5.0", "3.0.0", "4.0.0"];
    assert_eq!(members(">1.0.0\t<2.1  ", &all), ["1.5.0", "2.0.0"]);
    assert_eq!(members("1||>=3 <4", &all), ["1.0.0", "1.5.0", "3.0.0"]);
    assert_eq!(members(">3 <2 || =2.5.0", &all), ["2.5.0"]);
}

#[test]
fn pre_releases_need_an_invitation() {
    let all = [
        "1.9.0-x",
        "2.0.0-alpha",
        "2.0.0-beta",
        "2.0.0",
        "2.0.1-beta",
        "2.1.0-rc",
        "3.0.0-alpha",
    ];
    assert_eq!(members(">=1", &all), ["2.0.0"]);
    assert_eq!(members("*", &all), ["2.0.0"]);
    assert_eq!(members("<2.0.0", &all), Vec::<String>::new());
    assert_eq!(members("^2.0.0-beta", &all), ["2.0.0-beta", "2.0.0"]);
    assert_eq!(members(">2.0.0-alpha <2.0.0", &all), ["2.0.0-beta"]);
    assert_eq!(
        members("~2.0.0-a || 2.1.0-rc", &all),
        ["2.0.0-alpha", "2.0.0-beta", "2.0.0", "2.1.0-rc"]
    );
    assert_eq!(members("<3 || =3.0.0-beta", &all), ["2.0.0"]);
    assert_eq!(members(">=1 <=2.0.0-alpha", &all), ["2.0.0-alpha"]);
}

#[test]
fn unreadable_ranges_say_why() {
    let error = |text: &str| Range::parse(text).unwrap_err();
    assert_eq!(error(""), "empty range");
    assert_eq!(error(" \t"), "empty range");
    assert_eq!(error("||"), "empty alternative");
    assert_eq!(error("1 || "), "empty alternative");
    assert_eq!(error("|| x"), "empty alternative");
    for word in [
        "> ",
        "^*",
        "1.*",
        "1.2-beta",
        "1.2.3.4",
        "01",
        "==1",
        "=>1",
        "1.2.3-",
        "v1",
        "1|2",
        "1000000000",
    ] {
        let word = word.trim();
        assert_eq!(
            error(&format!("1 {word} y ||")),
            format!("bad comparator \"{word}\"")
        );
    }
}

#[test]
fn the_highest_member_is_picked() {
    let all: Vec<Version> = ["1.2.0", "1.10.0", "1.9.0", "2.0.0-rc.2", "2.0.0-rc.10"]
        .map(version)
        .into();
    let picked = |range: &str| pick(&Range::parse(range).unwrap(), &all).map(|v| v.to_string());
    assert_eq!(picked("1"), Some("1.10.0".to_string()));
    assert_eq!(picked("<1.10"), Some("1.9.0".to_string()));
    assert_eq!(picked(">=2.0.0-rc.1"), Some("2.0.0-rc.10".to_string()));
    assert_eq!(picked("3"), None);
    assert!(version("1.2.0").precedence(&version("1.2.0")) == Ordering::Equal);
}
