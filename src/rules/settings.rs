//! What is configured about rules, applied to findings.

use super::{Finding, Level};
use crate::config::RuleSettings;
use crate::config::rules::PerFile;

/// Drops findings and gives others their level, as configured. With `deny_warnings` warnings reject. `per_file` are the settings
/// whose pattern fits the file.
pub fn settle(findings: &mut Vec<Finding>, rules: &RuleSettings, per_file: &[&PerFile], deny_warnings: bool) {
    findings.retain_mut(|finding| {
        let Some(level) = rules.level(&finding.code, finding.level, per_file) else { return false };
        finding.level = if deny_warnings && level == Level::Warning { Level::Error } else { level };
        true
    });
}
