// Package clock tests the rule for time over all formats: which time of a recording costs energy.
// Package ingest/clock has the rule.
package clock
