package main

import (
	"os"
	"strconv"

	"golang.org/x/term"

	"github.com/diffprof/diffprof/report/text"
	"github.com/diffprof/diffprof/units"
)

// textFlags are what every text rendering takes.
type textFlags struct {
	unit  *units.Unit
	color string
}

// options suits a rendering to where it goes.
func (f textFlags) options(voltage units.Voltage, stdout *os.File, toStdout bool) text.Options {
	terminal := toStdout && isTerminal(stdout)
	o := text.Options{Unit: f.unit, Voltage: voltage, Color: wantColor(f.color, terminal)}
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

// wantColor follows no-color.org: NO_COLOR switches colours off unless the flag
// says otherwise. CLICOLOR_FORCE switches them on where there is no terminal, as
// for less -R.
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
