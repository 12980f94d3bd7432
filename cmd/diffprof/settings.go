package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/settings"
)

// given holds the settings of a command, and its flags for settings. Package settings
// names the flags and knows their texts and values.
type given struct {
	// Settings are set by load, before the command runs.
	settings.Settings
	flags []*settingFlag
}

// A settingFlag is a flag that sets a setting.
type settingFlag struct {
	settings.Flag
	// given has the values of the flag so far.
	given []string
}

// String returns the values that were given. It does not return the default, because help describes
// it in words.
func (f *settingFlag) String() string { return strings.Join(f.given, ",") }

// Type names the value in help texts.
func (f *settingFlag) Type() string { return f.Kind }

// Set adds a value, or returns an error if the setting cannot have it.
func (f *settingFlag) Set(text string) error {
	given := append(slices.Clone(f.given), text)
	if _, err := settings.Default().WithFlag(f.Setting, given...); err != nil {
		return err
	}
	f.given = given
	return nil
}

// bind adds a command's flags for settings.
func (g *given) bind(cmd *cobra.Command) {
	for _, s := range settings.Flags(cmd.Name()) {
		f := &settingFlag{Flag: s}
		g.flags = append(g.flags, f)
		inGroup(cmd, f.Stage, func(flags *pflag.FlagSet) {
			if added := flags.VarPF(f, f.Name, "", f.Usage); f.Switch {
				added.NoOptDefVal = "true"
			}
		})
		if f.Kind != settings.KindFile && f.Kind != settings.KindFolder && !f.Switch {
			complete(cmd, f.Name, f.Words...)
		}
	}
}

// load sets the settings: base, overridden by the values of the flags.
func (g *given) load(base settings.Settings) error {
	for _, f := range g.flags {
		if len(f.given) == 0 {
			continue
		}
		var err error
		if base, err = base.WithFlag(f.Setting, f.given...); err != nil {
			return err
		}
	}
	g.Settings = base
	return nil
}
