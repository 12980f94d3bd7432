package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/settings"
)

// settingFlags are those flags of a command that stand for settings. Package
// settings has all that there is to say of them.
type settingFlags []*settingFlag

// A settingFlag has what a flag was given.
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
	given := append(f.given, text)
	if _, err := settings.Default().WithFlag(f.Name, given...); err != nil {
		return err
	}
	f.given = given
	return nil
}

// bind adds flags to a group.
func (s *settingFlags) bind(cmd *cobra.Command, group string, names ...string) {
	all := settings.Flags()
	inGroup(cmd, group, func(flags *pflag.FlagSet) {
		for _, name := range names {
			i := slices.IndexFunc(all, func(f settings.Flag) bool { return f.Name == name })
			if i < 0 {
				panic("no setting has a flag --" + name)
			}
			f := &settingFlag{Flag: all[i]}
			flags.Var(f, f.Name, f.Usage)
			*s = append(*s, f)
		}
	})
	for _, f := range (*s)[len(*s)-len(names):] {
		if f.Kind != kindFile {
			complete(cmd, f.Name, f.Words...)
		}
	}
}

// on puts the flags on top of the settings that a command has without them.
func (s settingFlags) on(base settings.Settings) (settings.Settings, error) {
	for _, f := range s {
		if len(f.given) == 0 {
			continue
		}
		var err error
		if base, err = base.WithFlag(f.Name, f.given...); err != nil {
			return base, err
		}
	}
	return base, nil
}

// apply sets what follows from the flags of a command that goes by no project.
func (s settingFlags) apply(o *analysis.Options, t *textFlags) error {
	all, err := s.on(settings.Default())
	if err != nil {
		return err
	}
	all.Apply(o)
	t.unit = all.Unit
	return nil
}
