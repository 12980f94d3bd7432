package analysis

import "github.com/diffprof/diffprof/energy/apicost"

// APISites has the call sites of framework methods in an app, compared with a table of API costs.
type APISites struct {
	Path string
	// Splits are the further files of the app.
	Splits []string
	*apicost.Survey
	// Unclear counts call sites that may reach several classes.
	Unclear int
}
