//! What a contribution to ops-math needs: rules, pull request, report.

pub mod pr;
pub mod report;
