package main

import (
	"os"
	"strconv"

	"golang.org/x/term"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/settings"
)

// renderOptions returns the options of a rendering: its unit by the settings, its
// width and colours by where it goes. color is what --color was given.
func renderOptions(s *settings.Settings, color string, stdout *os.File, toStdout bool) report.Options {
	terminal := toStdout && isTerminal(stdout)
	o := report.Options{Unit: s.Unit, Voltage: s.Voltage, Color: wantColor(color, terminal), Nest: s.Nest}
	if columns, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil {
		o.Width = columns
	}
	if terminal {
		if columns, _, err := term.GetSize(int(stdout.Fd())); err == nil {
			o.Width = columns
		}
	}
	return o
}

// wantColor reports whether to use colours, as no-color.org has it: NO_COLOR switches
// them off unless the flag says always. CLICOLOR_FORCE switches them on where there is no
// terminal, such as for less -R.
func wantColor(flag string, terminal bool) bool {
	switch {
	case flag == "always":
		return true
	case flag == "never", os.Getenv("NO_COLOR") != "":
		return false
	}
	if force := os.Getenv("CLICOLOR_FORCE"); force != "" && force != "0" {
		return true
	}
	return terminal && os.Getenv("TERM") != "dumb"
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
