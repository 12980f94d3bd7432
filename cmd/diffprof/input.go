package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/internal/memory"
	"github.com/diffprof/diffprof/settings"
	"github.com/diffprof/diffprof/units"
)

// bindInput adds the flags that say how traces are read, which all commands that
// read any share.
func bindInput(cmd *cobra.Command, o *analysis.Options, s *settingFlags) {
	s.bind(cmd, groupInput, "app-package", "framework-package", "classpath", "merge", "power-profile", "voltage")
	inGroup(cmd, groupInput, func(flags *pflag.FlagSet) { inputFlags(flags, o) })
	complete(cmd, "folded-unit", units.ValueUnitNames()...)
	complete(cmd, "max-expanded")
	complete(cmd, "max-memory")
}

func inputFlags(flags *pflag.FlagSet, o *analysis.Options) {
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
func bindOne(cmd *cobra.Command, o *analysis.Options, s *settingFlags) {
	mapping := &settingFlag{Flag: settings.Flag{Name: "mapping-subject", Kind: kindFile}}
	*s = append(*s, mapping)
	inGroup(cmd, groupInput, func(flags *pflag.FlagSet) {
		flags.Var(mapping, "mapping", "the mapping.txt that undoes R8's or ProGuard's naming")
	})
	bindInput(cmd, o, s)
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
func bindText(cmd *cobra.Command, f *textFlags, s *settingFlags) {
	f.color = "auto"
	s.bind(cmd, groupOutput, "unit")
	inGroup(cmd, groupOutput, func(flags *pflag.FlagSet) {
		parsedVar(flags, &f.color, "color", "WHEN",
			"use colours: auto, always or never (default auto: on a terminal, unless NO_COLOR is set)",
			oneOf("auto", "always", "never"))
	})
	complete(cmd, "color", "auto", "always", "never")
}

// mark takes the error of marking a flag, which says that it does not exist: a
// mistake in this program.
func mark(err error) {
	if err != nil {
		panic(err)
	}
}
