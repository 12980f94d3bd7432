package words

import (
	"fmt"

	"github.com/diffprof/diffprof/analysis"
)

// A Setup has the figures of NoiseSetup: the number of runs on each side, and the smallest growth
// that they show. The number is 0 if no number suffices. The growth is nil if they show none. The
// fields with Alone apply without noise between builds.
type Setup struct {
	Runs, AloneRuns   int
	Least, AloneLeast *float64
	Builds            analysis.BuildNoise
	Sought            float64
}

// NoiseSetup returns advice for recording a comparison.
func NoiseSetup(s Setup) string {
	measure := ""
	if s.Builds.Source == analysis.BuildsAssumed {
		measure = "; diffprof record --aa app.apk measures that noise"
	}
	if s.Runs == 0 {
		text := fmt.Sprintf("no number of runs shows a growth of %s with noise between builds of %s", Percent(s.Sought), builds(&s.Builds))
		if s.Least != nil {
			text += fmt.Sprintf(": the smallest growth is %s", Percent(*s.Least))
		}
		if s.AloneRuns > 0 {
			text += fmt.Sprintf("; without this noise, %s on each side would show it if recorded in turn (A B B A)", Some(s.AloneRuns, "run"))
		}
		return text + measure
	}
	text := fmt.Sprintf("record both builds in turn (A B B A), %s on each side; these runs show a growth of %s with noise between builds of %s", Some(s.Runs, "run"), Least(s.Least), builds(&s.Builds))
	if s.AloneLeast != nil && s.Least != nil && *s.AloneLeast < *s.Least {
		text += fmt.Sprintf(", and of %s without this noise", Percent(*s.AloneLeast))
	}
	return text + measure
}

// GrowthShown describes the smallest growth of the total that a gate with these runs can show.
// least is nil if they show none. ever is the smallest growth that any number of runs shows, 0 if
// unknown.
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
