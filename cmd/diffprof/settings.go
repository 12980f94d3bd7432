package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/settings"
)

// given are the settings that a command goes by, and the flags that say them.
// Package settings has all that there is to say of either.
type given struct {
	// Settings are set before the command runs.
	settings.Settings
	flags []*settingFlag
}

// A settingFlag is a flag that stands for a setting, with what it was given.
type settingFlag struct {
	settings.Flag
	given []string
}

// String returns nothing at first, so that help texts state defaults in words.
func (f *settingFlag) String() string { return strings.Join(f.given, ",") }

// Type names the value in help texts.
func (f *settingFlag) Type() string { return f.Kind }

// Set takes a value, if the setting may have it.
func (f *settingFlag) Set(text string) error {
	given := append(slices.Clone(f.given), text)
	if _, err := settings.Default().WithFlag(f.Setting, given...); err != nil {
		return err
	}
	f.given = given
	return nil
}

// bind adds the flags that a command has for settings.
func (g *given) bind(cmd *cobra.Command) {
	for _, s := range settings.Flags(cmd.Name()) {
		f := &settingFlag{Flag: s}
		g.flags = append(g.flags, f)
		inGroup(cmd, f.Stage, func(flags *pflag.FlagSet) {
			if added := flags.VarPF(f, f.Name, "", f.Usage); f.Switch {
				added.NoOptDefVal = "true"
			}
		})
		if f.Kind != settings.KindFile && !f.Switch {
			complete(cmd, f.Name, f.Words...)
		}
	}
}

// load puts the flags on top of the settings that the command has without them.
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
