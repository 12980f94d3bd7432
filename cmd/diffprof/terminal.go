package main

import (
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/term"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/settings"
)

// renderOptions returns the options of a rendering: its unit by the settings, its
// width and colours by where it goes. color is what --color was given.
func renderOptions(s *settings.Settings, color string, stdout *os.File, toStdout bool) report.Options {
	terminal := toStdout && isTerminal(stdout)
	o := report.Options{Unit: s.Unit, Voltage: s.Voltage, Color: wantColor(color, terminal), Nest: s.Nest, Root: repository(), Links: links()}
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

// repository is the root of the repository that the current folder is in, or that folder.
func repository() string {
	here, err := os.Getwd()
	if err != nil {
		return ""
	}
	for dir := here; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return here
		}
	}
}

// links is where a build server shows the files of the commit that it builds; empty elsewhere.
func links() string {
	if project, commit := os.Getenv("CI_PROJECT_URL"), os.Getenv("CI_COMMIT_SHA"); project != "" && commit != "" {
		return project + "/-/blob/" + commit + "/"
	}
	if server, project, commit := os.Getenv("GITHUB_SERVER_URL"), os.Getenv("GITHUB_REPOSITORY"), os.Getenv("GITHUB_SHA"); server != "" && project != "" && commit != "" {
		return server + "/" + project + "/blob/" + commit + "/"
	}
	return ""
}
