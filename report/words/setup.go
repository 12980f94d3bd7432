package words

import (
	"fmt"

	"github.com/diffprof/diffprof/analysis"
)

// A Setup has the figures of NoiseSetup. Runs is the number of runs per side, or 0 if no number
// suffices. Least is the smallest growth that they detect, or nil. AloneRuns and AloneLeast are the
// same without noise between builds.
type Setup struct {
	Runs, AloneRuns   int
	Least, AloneLeast *float64
	Builds            analysis.BuildNoise
	Sought            float64
}

// NoiseSetup advises how many runs to record for a comparison.
func NoiseSetup(s Setup) string {
	measure := ""
	if s.Builds.Source == analysis.BuildsAssumed {
		measure = "; diffprof record --aa app.apk measures that noise"
	}
	if s.Runs == 0 {
		text := fmt.Sprintf("no number of runs shows a growth of %s if noise between builds is %s", Percent(s.Sought), builds(&s.Builds))
		if s.Least != nil {
			text += fmt.Sprintf(": the smallest growth is %s", Percent(*s.Least))
		}
		if s.AloneRuns > 0 {
			text += fmt.Sprintf("; without this noise, %s on each side would show it if recorded in turn (A B B A)", Some(s.AloneRuns, "run"))
		}
		return text + measure
	}
	text := fmt.Sprintf("record both builds in turn (A B B A), %s on each side; these runs detect a growth of %s if noise between builds is %s", Some(s.Runs, "run"), DetectableGrowth(s.Least), builds(&s.Builds))
	if s.AloneLeast != nil && s.Least != nil && *s.AloneLeast < *s.Least {
		text += fmt.Sprintf(", and of %s without this noise", Percent(*s.AloneLeast))
	}
	return text + measure
}

// GrowthShown says how much growth of the total a gate can detect with these runs. least is nil if
// none. ever is the limit that more runs cannot lower, or 0 if unknown.
func GrowthShown(runs int, least *float64, ever float64, c *analysis.Chance) string {
	text := Some(runs, "run") + " on each side show"
	if runs == 1 {
		text += "s"
	}
	if least == nil {
		text += " no growth of the total for certain"
	} else {
		text += fmt.Sprintf(" a growth of the total of %s or more in four builds of five", Percent(*least))
	}
	if ever == 0 {
		return text
	}
	text += fmt.Sprintf("; no number of runs shows less than %s, because of the noise between builds: %s", Percent(ever), builds(&c.Builds))
	if c.Builds.Source == analysis.BuildsAssumed {
		text += "; diffprof record --aa and --equal-build measure that noise, and --builds states it"
	}
	return text
}
