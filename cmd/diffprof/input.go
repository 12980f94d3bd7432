package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/internal/memory"
	"github.com/diffprof/diffprof/units"
)

// bindInput adds the flags that say how traces are read, which all commands that
// read any share.
func bindInput(cmd *cobra.Command, o *analysis.Options) {
	inGroup(cmd, groupInput, func(flags *pflag.FlagSet) { inputFlags(flags, o) })
	complete(cmd, "folded-unit", append(units.UnitNames(), "ns", "us", "ms", "s")...)
	complete(cmd, "merge", "async", "entry", "app", "hierarchy", "none")
	for _, name := range []string{"app-package", "framework-package", "voltage", "max-expanded", "max-memory"} {
		complete(cmd, name)
	}
	mark(cmd.MarkFlagFilename("power-profile", "xml"))
}

func inputFlags(flags *pflag.FlagSet, o *analysis.Options) {
	flags.StringArrayVar(&o.AppPackages, "app-package", nil,
		"take package `P` for the app's, or P.* for it and those below; repeatable")
	flags.StringArrayVar(&o.FrameworkPackages, "framework-package", nil,
		"take package `P` for the framework's, or P.* for it and those below; repeatable")
	flags.StringArrayVar(&o.Classpath, "classpath", nil,
		"read the app's class hierarchy from `FILE`: a jar, apk, dex or class file, or a folder of them; repeatable")
	parsedVar(flags, &o.Merge, "merge", "LIST",
		"steps of preprocessing to run, any of async,entry,app,hierarchy, or none (default all)", parseMerge)
	flags.StringVar(&o.PowerProfile, "power-profile", "",
		"model energy with Android's power_profile.xml in `FILE` (default a generic phone's)")
	parsedVar(flags, &o.Voltage, "voltage", "V",
		"the battery's voltage, for power profiles and --unit uAh (default 3.7)", units.ParseVoltage)
	flags.StringVar(&o.FoldedUnit, "folded-unit", "",
		"the `UNIT` of the values of folded stacks: of energy (nJ, uJ, mJ, J, uAh) or of processor time (ns, us, ms, s) (default nJ)")
	flags.BoolVar(&o.Partial, "partial", false, "take what there is of a recording that is cut short")
	parsedVar(flags, &o.MaxExpanded, "max-expanded", "SIZE",
		"the most that a compressed input may expand to (default 4GiB)", parseSize)
	// What is read here is held by trees and matchings; the rest of the program
	// has the remaining quarter.
	o.MaxMemory = memory.Free() / 4 * 3
	parsedVar(flags, &o.MaxMemory, "max-memory", "SIZE",
		"the most that trees and matchings may take (default three quarters of what is free)", parseSize)
}

// bindOne adds the flags of commands that read inputs one at a time.
func bindOne(cmd *cobra.Command, o *analysis.Options) {
	inGroup(cmd, groupInput, func(flags *pflag.FlagSet) {
		flags.StringVar(&o.SubjectMapping, "mapping", "",
			"undo R8's or ProGuard's naming with the mapping.txt in `FILE`")
	})
	mark(cmd.MarkFlagFilename("mapping", "txt"))
	bindInput(cmd, o)
}

// bindOutput adds the flags that say where a command writes, and what: text, JSON
// and the formats that not all commands have.
func bindOutput(cmd *cobra.Command, format, output *string, more ...string) {
	*format = "text"
	formats := append([]string{"text", "json"}, more...)
	last := len(formats) - 1
	usage := "write " + strings.Join(formats[:last], ", ") + " or " + formats[last] + " (default text)"
	inGroup(cmd, groupOutput, func(flags *pflag.FlagSet) {
		parsedVar(flags, format, "format", "FORMAT", usage, oneOf(formats...))
		flags.StringVarP(output, "output", "o", "", "write to `FILE` (default standard output)")
	})
	complete(cmd, "format", formats...)
}

// bindText adds the flags of text renderings.
func bindText(cmd *cobra.Command, f *textFlags) {
	f.color = "auto"
	inGroup(cmd, groupOutput, func(flags *pflag.FlagSet) {
		parsedVar(flags, &f.unit, "unit", "UNIT",
			"show energy in nJ, uJ, mJ, J or uAh (default one that suits; text only)",
			func(s string) (*units.Unit, error) {
				u, err := units.ParseUnit(s)
				return &u, err
			})
		parsedVar(flags, &f.color, "color", "WHEN",
			"use colours: auto, always or never (default auto: on a terminal, unless NO_COLOR is set)",
			oneOf("auto", "always", "never"))
	})
	complete(cmd, "unit", units.UnitNames()...)
	complete(cmd, "color", "auto", "always", "never")
}

// mark takes the error of marking a flag, which says that it does not exist: a
// mistake in this program.
func mark(err error) {
	if err != nil {
		panic(err)
	}
}
