package main

import (
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/term"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/settings"
)

// renderOptions returns the options for printing a report. color is the value of --color.
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

// wantColor reports whether to use colors, by the rules of no-color.org. NO_COLOR disables them
// unless the flag is always. CLICOLOR_FORCE enables them without a terminal, for example for less
// -R.
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

// repository returns the root of the repository that contains the current folder, or the current
// folder if there is no repository.
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

// links returns the address at which a build server shows the files of the built commit. It is
// empty outside of build servers.
func links() string {
	if project, commit := os.Getenv("CI_PROJECT_URL"), os.Getenv("CI_COMMIT_SHA"); project != "" && commit != "" {
		return project + "/-/blob/" + commit + "/"
	}
	if server, project, commit := os.Getenv("GITHUB_SERVER_URL"), os.Getenv("GITHUB_REPOSITORY"), os.Getenv("GITHUB_SHA"); server != "" && project != "" && commit != "" {
		return server + "/" + project + "/blob/" + commit + "/"
	}
	return ""
}
