package main

import (
	"bufio"
	"errors"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/diffprof/diffprof/fleet"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/report/crowd"
)

// newFleetPublish builds the command that writes a fleet's sums with noise.
func newFleetPublish(files *outputs) *cobra.Command {
	var in fleetInput
	p := fleet.DefaultPrivacy()
	format, output := "text", ""
	cmd := &cobra.Command{
		Use:   "publish [flags] DIR...",
		Short: "Publish how much apps use, with noise that protects each device",
		Long: `publish estimates for each app how many devices ran it, and how much more they
use with it. Random noise hides each single device (differential privacy).
Fleets need some thousand devices.

Other commands add no noise: protect their files and answers.`,
		Args: some("file or folder with samples"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := p.Check(); err != nil {
				return err
			}
			out, err := files.open(output, args...)
			if err != nil {
				return err
			}
			options, err := in.options(args)
			if err != nil {
				return err
			}
			set, err := samples.Open(cmd.Context(), options)
			if err != nil {
				return err
			}
			defer set.Close()
			published, err := fleet.Publish(cmd.Context(), set, p)
			if err != nil {
				return err
			}
			write := bufio.NewWriter(out)
			return finish(files, write, crowd.Publication(write, published, format, toolVersion()))
		},
	}
	in.bind(cmd)
	flags := cmd.Flags()
	number := func(s string) (float64, error) {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil {
			err = errors.New("use a number, such as 0.5")
		}
		return x, err
	}
	parsedVar(flags, &p.Epsilon, "epsilon", "X", "limit what the output reveals about a device: a smaller number protects devices better, but adds more noise (default 1)", number)
	parsedVar(flags, &p.Delta, "delta", "X", "list an app that only one device runs with at most this probability (default 1e-06)", number)
	parsedVar(flags, &p.Apps, "apps", "N", "count at most N apps of a device: fewer apps need less noise (default 10)", positive)
	parsedVar(flags, &format, "format", "FORMAT", "write text or json (default text)", oneOf("text", "json"))
	flags.StringVarP(&output, "output", "o", "", "write to `FILE` instead of standard output")
	complete(cmd, "format", "text", "json")
	for _, f := range []string{"epsilon", "delta", "apps"} {
		complete(cmd, f)
	}
	return cmd
}
