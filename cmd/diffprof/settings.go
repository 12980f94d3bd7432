package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/settings"
)

// given has a command's settings, and the flags that set them. Package settings defines the flags.
type given struct {
	// load sets Settings before the command runs.
	settings.Settings
	flags []*settingFlag
}

// A settingFlag is a flag that sets a setting.
type settingFlag struct {
	settings.Flag
	// given are the values of the flag so far.
	given []string
}

// String returns the given values. It does not return the default, because help describes it in
// words.
func (f *settingFlag) String() string { return strings.Join(f.given, ",") }

// Type names the value in help texts.
func (f *settingFlag) Type() string { return f.Kind }

// Set adds a value. It returns an error if the value is not valid for the setting.
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

// load sets the settings to base, overridden by the values of the flags.
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
