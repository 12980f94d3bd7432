// Package clock tests over all formats which time of a recording is charged for energy. Package
// ingest/clock defines the rule.
package clock
