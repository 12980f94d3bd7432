package record

import (
	_ "embed"
	"strings"
)

//go:embed perfetto.txtpb
var perfettoConfig string

// Config returns a Perfetto configuration for an app, as text. It records scheduling, the cores'
// frequencies and idle states, the app's slices, power rails and the battery.
func Config(app string) string {
	return strings.ReplaceAll(perfettoConfig, "APP", app)
}
