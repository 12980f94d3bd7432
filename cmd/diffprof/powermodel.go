package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/energy/profile"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/internal/table"
	"github.com/diffprof/diffprof/report/text"
	"github.com/diffprof/diffprof/settings"
	"github.com/diffprof/diffprof/units"
)

func newPowerModel(files *outputs) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "power-model COMMAND",
		Short: "List, show, check and make power models",
		Long: `A power model lists the power of each component of a device in each of its
states, and the operations and times that change the state: how long a radio
stays on after a send, how much a wakelock costs until it is released.

docs/energy.md describes the file format.`,
		Example: `  diffprof power-model list
  diffprof power-model show passion

  # A model of the phone on the desk
  adb pull /system/framework/framework-res.apk
  apktool d framework-res.apk
  diffprof power-model from-profile framework-res/res/xml/power_profile.xml -o phone.yaml
  diffprof power-model check phone.yaml`,
		Args: noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newModelList(files), newModelShow(files), newModelCheck(files), newModelSchema(files), newModelFromProfile(files), newModelFit(files))
	return cmd
}

func newModelList(files *outputs) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the power models that diffprof has", Args: exactly(),
		RunE: func(*cobra.Command, []string) error {
			var models []*model.Device
			for _, name := range model.ReadyNames() {
				d, err := model.Ready(name)
				if err != nil {
					return err
				}
				models = append(models, d)
			}
			return printed(files, func(w io.Writer) error { return text.ReadyModels(w, models) })
		},
	}
}

func newModelShow(files *outputs) *cobra.Command {
	asYAML := false
	cmd := &cobra.Command{
		Use: "show [flags] MODEL", Short: "Show the figures of a built-in power model, or of a file, with their sources",
		Example: `  diffprof power-model show lte`,
		Args:    exactly("MODEL"),
		RunE: func(_ *cobra.Command, args []string) error {
			d, err := readModel(args[0])
			if err != nil {
				return err
			}
			return printed(files, func(w io.Writer) error {
				if asYAML {
					return model.Write(w, d, "")
				}
				return text.PowerModel(w, d)
			})
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return model.ReadyNames(), cobra.ShellCompDirectiveDefault
		},
	}
	inGroup(cmd, settings.Output, func(flags *pflag.FlagSet) {
		flags.BoolVar(&asYAML, "yaml", false, "write the model as a file that can be changed")
	})
	return cmd
}

func newModelCheck(files *outputs) *cobra.Command {
	return &cobra.Command{
		Use: "check FILE...", Short: "Check power models in YAML",
		Example: `  diffprof power-model check phone.yaml`,
		Args:    some("FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			wrong := 0
			err := printed(files, func(w io.Writer) error {
				for _, path := range args {
					d, err := readModel(path)
					var problems table.Problems
					switch {
					case errors.As(err, &problems):
						for _, p := range problems {
							fmt.Fprintln(w, printable(p.Error()))
						}
						wrong++
					case err != nil:
						return err
					default:
						assumed, all := d.Assumed()
						fmt.Fprintf(w, "%s: no mistakes; %d of %d figures assumed\n", printable(path), assumed, all)
					}
				}
				return nil
			})
			if err == nil && wrong > 0 {
				err = fmt.Errorf("%d of %d power models are wrong", wrong, len(args))
			}
			return err
		},
	}
}

func newModelSchema(files *outputs) *cobra.Command {
	return &cobra.Command{
		Use: "schema", Short: "Write the JSON Schema of power models", Args: exactly(),
		RunE: func(*cobra.Command, []string) error {
			return printed(files, func(w io.Writer) error { _, err := w.Write(model.Schema); return err })
		},
	}
}

func newModelFromProfile(files *outputs) *cobra.Command {
	output, voltage, generation := "", units.DefaultVoltage, model.Generation("")
	cmd := &cobra.Command{
		Use:   "from-profile [flags] FILE...",
		Short: "Make a power model from the power profile of a phone, or from power curves",
		Long: `from-profile makes a power model from power_profile.xml, in which the maker of a
phone states the power of each component. It prints what it read, what it
assumed, and what the model lacks. Such a file has no tails and no times:
--generation selects published ones for the radio.

Curves of Perfetto's Wattson (cpu_1d.csv, cpu_2d.csv) make a model of the
processor, or replace the processor of a power profile that is also given.`,
		Example: `  diffprof power-model from-profile power_profile.xml -o phone.yaml

  # The processor from power curves of Wattson
  diffprof power-model from-profile cpu_1d.csv cpu_2d.csv -o tensor.yaml`,
		Args: some("FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			d, notes, err := modelFrom(args, voltage, generation)
			if err != nil {
				return err
			}
			var file bytes.Buffer
			if err := model.Write(&file, d, strings.Join(notes, "\n")); err != nil {
				return err
			}
			// Read back the written model, because the profile may have invalid values.
			if _, err := model.Read(bytes.NewReader(file.Bytes())); err != nil {
				return fmt.Errorf("%s: the power profile makes no valid model: %w", args[0], err)
			}
			w, err := files.open(output, args...)
			if err != nil {
				return err
			}
			if output != "" {
				for _, note := range notes {
					fmt.Fprintln(os.Stderr, printable(note))
				}
			}
			out := bufio.NewWriter(w)
			_, err = out.Write(file.Bytes())
			return finish(files, out, err)
		},
	}
	inGroup(cmd, settings.Output, func(flags *pflag.FlagSet) {
		flags.VarP(&parsed[string]{to: &output, kind: settings.KindFile, parse: fileName}, "output", "o", "write the model to `FILE`, and its sources to standard error")
		parsedVar(flags, &voltage, "voltage", "VOLTS", "multiply currents by VOLTS, such as 3.85 (default 3.7)", units.ParseVoltage)
		parsedVar(flags, &generation, "generation", "NAME", "take the tails and times of the cellular radio from measurements of generation `NAME`: 3g, lte, 5g-nsa, 5g-sa (default lte)", model.ParseGeneration)
	})
	return cmd
}

func newModelFit(files *outputs) *cobra.Command {
	var runs project
	output, base := "", ""
	cmd := &cobra.Command{
		Use:   "fit [flags] --model MODEL RUN...",
		Short: "Fit a power model to runs in which the device was measured",
		Long: `fit changes the powers of a model so that it agrees with the measured rails of
runs, and shows the error before and after.

Each processor cluster gets one factor, or one for running and one for idle
cores. Runs need rails, switches and frequencies, as traces of Perfetto have.

The states of other components, such as a radio, get the powers that fit their
rail best. Runs need operations that use the component. With several runs, fit
shows the error of each run with powers that were fitted to the other runs. Powers
that the runs do not determine stay unchanged, with the reason.`,
		Example: `  diffprof power-model from-profile cpu_1d.csv cpu_2d.csv -o tensor.yaml
  diffprof power-model fit --model tensor.yaml first.perfetto-trace second.perfetto-trace -o fitted.yaml

  # A method trace, and the rails of the same time
  diffprof power-model fit --model phone.yaml --with rails.perfetto-trace app.trace -o fitted.yaml`,
		Args: some("RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if base == "" {
				return errors.New("no model to fit: give --model, with a built-in model or a file")
			}
			d, err := readModel(base)
			if err != nil {
				return err
			}
			if err := runs.loadRuns(args); err != nil {
				return err
			}
			fitted, err := analysis.Fit(cmd.Context(), d, runs.Options)
			if err != nil {
				return err
			}
			if output == "" {
				return printed(files, func(w io.Writer) error { return text.Fitted(w, fitted) })
			}
			w, err := files.open(output, append(runs.inputs(), base)...)
			if err != nil {
				return err
			}
			if err := text.Fitted(os.Stderr, fitted); err != nil {
				return err
			}
			out := bufio.NewWriter(w)
			return finish(files, out, model.Write(out, fitted.Device, ""))
		},
	}
	runs.bind(cmd)
	inGroup(cmd, settings.Output, func(flags *pflag.FlagSet) {
		flags.StringVar(&base, "model", "", "fit `MODEL`, a built-in model or a file")
		flags.VarP(&parsed[string]{to: &output, kind: settings.KindFile, parse: fileName}, "output", "o", "write the fitted model to `FILE`, and how well it fits to standard error")
	})
	return cmd
}

// printed runs the function write on the standard output of the command.
func printed(files *outputs, write func(io.Writer) error) error {
	out, err := files.open("")
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	return finish(files, w, write(w))
}

// readModel returns the built-in model with a name, or the model in a file.
func readModel(name string) (*model.Device, error) {
	if model.IsReady(name) {
		return model.Ready(name)
	}
	f, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) && !strings.ContainsAny(name, "./\\") {
		_, err = model.Ready(name)
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d, err := model.Read(f)
	if err != nil {
		return nil, inModel(name, err)
	}
	if d.Name == "" {
		d.Name = strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	}
	return d, nil
}

// inModel adds the name of the file to the problems of a model.
func inModel(path string, err error) error {
	var problems table.Problems
	if !errors.As(err, &problems) {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, p := range problems {
		p.File = path
	}
	return problems
}

// maxProfile is the largest size of a power profile in bytes.
const maxProfile = 8 << 20

// modelFrom makes a model from power profiles and curves, which it recognizes by their content. The
// notes list the sources and the assumptions.
func modelFrom(paths []string, voltage units.Voltage, g model.Generation) (*model.Device, []string, error) {
	d := &model.Device{Voltage: voltage}
	var notes, curves []string
	var tables []io.Reader
	profiles := 0
	for _, path := range paths {
		data, err := readSmall(path)
		if err != nil {
			return nil, nil, err
		}
		if model.IsCurves(data) {
			curves, tables = append(curves, path), append(tables, bytes.NewReader(data))
			continue
		}
		if profiles++; profiles > 1 {
			return nil, nil, fmt.Errorf("%s: a model needs exactly one power profile, and this is the second", path)
		}
		p, err := profile.Read(bytes.NewReader(data))
		if err != nil {
			return nil, nil, inProfile(path, err)
		}
		name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		made, n := model.FromProfile(p, name, voltage, g)
		made.Title = "made from " + filepath.Base(path)
		d = made
		notes = append(notes, "read: "+strings.Join(n.Read, ", "))
		for _, s := range n.Assumed {
			notes = append(notes, "assumed: "+s)
		}
		for _, s := range n.Missing {
			notes = append(notes, "missing: "+s)
		}
	}
	if len(tables) > 0 {
		cpu, device, at, err := model.FromCurves(tables...)
		if err != nil {
			return nil, nil, inProfile(curves[at], err)
		}
		if d.CPU = cpu; d.Name == "" {
			d.Name, d.Title = strings.ToLower(strings.ReplaceAll(device, " ", "-")), "processor of "+device+", made from its power curves"
			d.Source = cpu.Source
		}
		notes = append(notes, "read: power curves of "+device+" as milliwatts, since they state no unit",
			"assumed: 8 cores, since the curves do not state how many the last cluster has")
	}
	return d, notes, nil
}

// readSmall reads a file, and returns an error if it is large.
func readSmall(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxProfile+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return data, nil
}

// inProfile adds the name of the file to an error.
func inProfile(path string, err error) error {
	var located *syntax.Error
	if errors.As(err, &located) {
		located.File = path
		return located
	}
	return fmt.Errorf("%s: %w", path, err)
}
