package finding

import "github.com/diffprof/diffprof/units"

// A Severity has the thresholds from which a finding is an error, a warning or information, as
// shares of the run's energy. For example, a Warning of 0.02 means that a finding of 2% is a
// warning. A finding below all thresholds is a hint. A threshold above 1 is never reached.
type Severity struct{ Error, Warning, Information float64 }

// Unreachable is a threshold that no share reaches.
const Unreachable = 2

// DefaultSeverity returns the default thresholds.
func DefaultSeverity() Severity {
	return Severity{Error: Unreachable, Warning: 0.02, Information: 0.005}
}

// Level returns the severity of a finding with this share of the run's energy: "error", "warning",
// "information" or "hint".
func (s Severity) Level(share float64) string {
	switch {
	case share >= s.Error:
		return "error"
	case share >= s.Warning:
		return "warning"
	case share >= s.Information:
		return "information"
	}
	return "hint"
}

// SeverityOf returns the severity of a row. It is empty if the row does not count.
func (s *Set) SeverityOf(at Ranked) string {
	if !s.Standing(at).IsFinding {
		return ""
	}
	if at.Code {
		return s.Severity.Level(s.Share(s.Result.AppCode.Rows[at.Index].Saving))
	}
	return s.Severity.Level(s.Share(s.Result.Tasks[at.Index].Saving))
}

// Share returns an energy as a share of the subject's energy.
func (s *Set) Share(e units.Energy) float64 { return units.Share(e, s.Result.Subject.Energy) }
