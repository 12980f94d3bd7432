package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/diffprof/diffprof/code/classes"
)

// version is set by make build with the linker's flag -X.
var version string

// toolVersion returns diffprof's version. If go install built the program, this is the module's
// version.
func toolVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

func newVersion(files *outputs) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version [flags]",
		Short: "Print the version",
		Args:  exactly(),
		RunE: func(cmd *cobra.Command, args []string) error {
			return printVersion(files, asJSON)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func printVersion(files *outputs, asJSON bool) error {
	out, err := files.open("")
	if err != nil {
		return err
	}
	table, err := classes.BuiltIn()
	if err != nil {
		return err
	}
	if asJSON {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		err = e.Encode(struct {
			Version    string   `json:"version"`
			Go         string   `json:"go"`
			Platform   string   `json:"platform"`
			ClassTable []string `json:"classTable"`
		}{toolVersion(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH, table.Versions()})
	} else {
		_, err = fmt.Fprintf(out, "diffprof %s\n%s %s/%s\nclass table: %s\n",
			toolVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH, strings.Join(table.Versions(), ", "))
	}
	if err != nil {
		return fmt.Errorf("writing the version: %w", err)
	}
	return nil
}
