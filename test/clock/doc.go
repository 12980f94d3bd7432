// Package clock tests, for all formats, which time of a recording is charged with energy. Package
// ingest/clock defines the rule.
package clock
