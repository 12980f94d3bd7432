package record

import (
	_ "embed"
	"strings"
)

//go:embed perfetto.txtpb
var perfettoConfig string

// Config returns the text of a Perfetto configuration for an app. It records scheduling, the
// frequencies and idle states of the processor's cores, the app's slices, power rails and the
// battery.
func Config(app string) string {
	return strings.ReplaceAll(perfettoConfig, "APP", app)
}
