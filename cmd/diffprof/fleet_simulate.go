package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/diffprof/diffprof/fleet/simulation"
)

func newFleetSimulate(files *outputs) *cobra.Command {
	o := simulation.Options{Clients: 800, Apps: 1500, Hogs: 40, Innocent: 245, Bugs: 60, Days: 11, Step: 1}
	seed := 1
	var format, output, truth, versions string
	var named simulation.Named
	cmd := &cobra.Command{
		Use:   "simulate -o SAMPLES [--truth FILE]",
		Short: "Simulate a fleet with known hogs and bugs",
		Long: `simulate writes the samples of a simulated fleet, and its truth as JSON. Some
apps are hogs. Others use nothing but correlate with a model, with heavy users,
with the screen or with a hog. The same seed gives the same fleet.

--name names the hog that most clients run; --versions and --mobile set when this
hog uses energy.`,
		Example: `  diffprof fleet simulate --clients 400 --apps 400 --hogs 12 --innocent 60 --bugs 10 -o samples.csv`,
		Args:    exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if output == "" {
				return errors.New("no output: give -o SAMPLES")
			}
			if format == "" {
				format = "csv"
				if strings.EqualFold(filepath.Ext(output), ".parquet") {
					format = "parquet"
				}
			}
			o.Seed = uint64(seed)
			if named.Name != "" {
				o.Named = &named
			} else if versions != "" || named.Mobile {
				return errors.New("--versions and --mobile need a named hog: give --name NAME")
			}
			if o.Named != nil && o.Hogs == 0 {
				return errors.New("--name NAME needs a hog: give --hogs 1 or more")
			}
			if versions != "" {
				var two bool
				if named.Before, named.Version, two = strings.Cut(versions, ","); !two || named.Before == "" || named.Version == "" {
					return errors.New("--versions OLD,NEW takes two versions: the hog uses energy in the second")
				}
			}
			made := simulation.New(o)
			out, err := files.open(output)
			if err != nil {
				return err
			}
			write := bufio.NewWriter(out)
			if truth != "" {
				to, err := files.open(truth)
				if err != nil {
					return err
				}
				if err := writeTruth(to, made); err != nil {
					return err
				}
			}
			return finish(files, write, made.Write(write, format, cmd.Context().Err))
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&output, "output", "o", "", "write the samples to `SAMPLES`")
	flags.StringVar(&truth, "truth", "", "write the truth to `FILE`")
	flags.StringVar(&named.Name, "name", "", "use `NAME` for the hog that most clients run, such as the package of an app")
	flags.StringVar(&versions, "versions", "", "give clients `OLD,NEW` versions of the named hog; only the new one uses energy")
	flags.BoolVar(&named.Mobile, "mobile", false, "let the named hog use energy on mobile data only")
	complete(cmd, "name")
	complete(cmd, "versions")
	parsedVar(flags, &format, "format", "FORMAT", "write "+strings.Join(simulation.Formats, " or ")+" (default by the name of SAMPLES, else csv)", oneOf(simulation.Formats...))
	complete(cmd, "format", simulation.Formats...)
	for name, to := range map[string]*int{"clients": &o.Clients, "apps": &o.Apps, "hogs": &o.Hogs, "innocent": &o.Innocent, "bugs": &o.Bugs, "days": &o.Days, "step": &o.Step, "seed": &seed, "samples": &o.Samples, "installed": &o.Installed} {
		usage := map[string]string{
			"clients": "simulate N clients (default 800)", "apps": "simulate N apps (default 1500)", "hogs": "make N apps hogs (default 40)",
			"innocent": "correlate N other apps with a cause (default 245)", "bugs": "add N bugs, each of one app on one client (default 60)",
			"days": "watch each client for N days (default 11)", "step": "report levels in steps of N per cent (default 1)", "seed": "use N as the random seed (default 1)",
			"samples": "simulate about N samples of each client (default one per 30 s of --days)", "installed": "let each client have about N apps (default by the popularity of apps)",
		}[name]
		parsedVar(flags, to, name, "N", usage, parseCount)
		complete(cmd, name)
	}
	return cmd
}

// writeTruth writes the hogs and the bugs of a simulated fleet.
func writeTruth(w io.Writer, made *simulation.Fleet) error {
	type app struct {
		App   string  `json:"app"`
		Kind  string  `json:"kind"`
		Drain float64 `json:"percentPerSecond"`
		// Version and Mobile are the conditions under which the app uses more. They are empty if it
		// always uses more.
		Version string `json:"version,omitempty"`
		Mobile  bool   `json:"mobileDataAlone,omitempty"`
	}
	type bug struct {
		App    string  `json:"app"`
		Client string  `json:"client"`
		Drain  float64 `json:"percentPerSecond"`
	}
	all := struct {
		Apps []app `json:"apps"`
		Bugs []bug `json:"bugs"`
	}{[]app{}, []bug{}}
	for _, a := range made.Apps {
		if a.Kind != simulation.Plain {
			one := app{App: a.Name, Kind: a.Kind, Drain: a.Drain}
			if a.Named != nil {
				one.Version, one.Mobile = a.Named.Version, a.Named.Mobile
			}
			all.Apps = append(all.Apps, one)
		}
	}
	for _, b := range made.Bugs {
		all.Bugs = append(all.Bugs, bug{made.Apps[b.App].Name, simulation.ClientName(b.Client), b.Drain})
	}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(all)
}
