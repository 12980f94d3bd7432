package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/render"
	"github.com/diffprof/diffprof/settings"
)

// bindOutput adds the flags --format and --output. The formats are those in which one of views can
// be written; the first is the default.
func bindOutput(cmd *cobra.Command, format, output *string, views ...report.View) {
	var formats []string
	for _, v := range views {
		for _, name := range render.Names(v) {
			if !slices.Contains(formats, name) {
				formats = append(formats, name)
			}
		}
	}
	*format = formats[0]
	last := len(formats) - 1
	usage := "write " + strings.Join(formats[:last], ", ") + " or " + formats[last] + " (default " + formats[0] + ")"
	inGroup(cmd, settings.Output, func(flags *pflag.FlagSet) {
		parsedVar(flags, format, "format", "FORMAT", usage, oneOf(formats...))
		flags.VarP(&parsed[string]{to: output, kind: settings.KindFile, parse: fileName}, "output", "o", "write to `FILE` (default standard output)")
	})
	complete(cmd, "format", formats...)
}

// bindColor adds the flag that selects when text has colors.
func bindColor(cmd *cobra.Command, when *string) {
	*when = "auto"
	inGroup(cmd, settings.Output, func(flags *pflag.FlagSet) {
		parsedVar(flags, when, "color", "WHEN",
			"use colors: auto, always or never (default auto: on a terminal, unless NO_COLOR is set)",
			oneOf("auto", "always", "never"))
	})
	complete(cmd, "color", "auto", "always", "never")
}
