//! Source bytes to verdict: never a panic, never more than the fuel, and spans that lie in the text.
//!
//! `cargo +nightly fuzz run verdict -- -max_len=4096 -timeout=20`
#![no_main]

use antifreeze::eval::Settings;
use antifreeze::rules::Profile;
use antifreeze::source::Source;
use antifreeze::verdict;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // Undecodable bytes are an error of their own, and no program.
    let Ok(source) = Source::from_bytes("fuzz.py", bytes) else { return };
    let settings = Settings { fuel: 200_000, describe: false, ..Settings::default() };
    let checked = verdict::check(source, &settings, Profile::Agent);
    // What nobody called is evaluated with half of the fuel again.
    assert!(checked.facts.fuel_spent <= 2 * settings.fuel, "{} steps", checked.facts.fuel_spent);
    let length = checked.source.text.len() as u32;
    for span in checked.verdict.findings.iter().map(|finding| finding.span).chain(checked.verdict.guards.iter().map(|guard| guard.span)) {
        assert!(span.start <= span.end && span.end <= length, "{span:?}");
    }
});
