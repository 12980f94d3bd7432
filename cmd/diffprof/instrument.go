package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/apk"
	"github.com/diffprof/diffprof/instrument"
	"github.com/diffprof/diffprof/instrument/runtime"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/settings"
	"github.com/diffprof/diffprof/trigger"
)

// passwordVariable is the environment variable with the keystore's password.
const passwordVariable = "DIFFPROF_KEYSTORE_PASSWORD"

// oldestART is the first API level whose devices load several dex files by themselves.
const oldestART = 21

// instrumentFlags are the flags of diffprof instrument.
type instrumentFlags struct {
	output, keystore string
	include, exclude []string
	async, paths     bool
	// invocations are framework packages or classes; the times of calls to them are recorded.
	// bursts makes the app produce load at the start and the end. This load helps to align the
	// samples of a meter.
	invocations []string
	bursts      bool
	// print is a method whose code is printed. original also prints its code before the change.
	print    string
	original bool
}

// newInstrument builds diffprof instrument.
func newInstrument(files *outputs) *cobra.Command {
	var f instrumentFlags
	cmd := &cobra.Command{
		Use:   "instrument [flags] APP.apk… -o OUT",
		Short: "Make a build of an app that counts its framework calls (experimental)",
		Long: `instrument writes a copy of an APK that counts the app's calls of the framework,
per call path. It needs no source code, no SDK and no Java. It is experimental:
no phone has run a rewritten app yet.

Several files are the base APK of an app and its splits; -o is then a folder.
It counts the app's own methods, and the library methods that call the framework.
--paths also counts the paths through each method, for diffprof lines.
--async shows work that a call hands over, such as a posted Runnable, below that
call.

The copy has a new signature; instrument lists what this breaks before it writes.
The password of --keystore is in ` + passwordVariable + `.
docs/instrument.md has the limits.`,
		Example: `  diffprof instrument app.apk -o calls.apk
  adb install calls.apk
  # Use the app for more than two seconds
  adb pull /sdcard/Android/data/com.mine/files/diffprof-calls run
  diffprof profile --api-costs costs.csv run

  # An app in several files
  diffprof instrument base.apk split_config.en.apk split_feature.apk -o calls
  adb install-multiple calls/*.apk

  # How often each line runs
  diffprof instrument --paths --include com.mine.Feed app.apk -o paths.apk
  diffprof lines run

  # The code of a method with its probes
  diffprof instrument app.apk --print com.mine.Feed.load`,
		Args: some("APP.apk"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), files, cmd.ErrOrStderr(), args)
		},
	}
	inGroup(cmd, settings.Output, func(flags *pflag.FlagSet) {
		flags.StringVarP(&f.output, "output", "o", "", "`FILE` for the copy, or folder for the copies of several files")
		flags.StringVar(&f.keystore, "keystore", "", "`FILE` with the key that signs the copy, PKCS#12 or JKS (default a debug key)")
	})
	inGroup(cmd, groupGeneral, func(flags *pflag.FlagSet) {
		flags.StringSliceVar(&f.include, "include", nil, "count only the methods of these `packages` or classes, such as com.mine.* or com.mine.Feed")
		flags.StringSliceVar(&f.exclude, "exclude", nil, "leave the methods of these `packages` or classes as they are")
	})
	inGroup(cmd, groupGeneral, func(flags *pflag.FlagSet) {
		flags.BoolVar(&f.async, "async", false, "recognize work that a call hands over, such as a posted Runnable, and count it on the path of that call")
		flags.BoolVar(&f.paths, "paths", false, "count the paths through each method, too, so that diffprof lines shows how often each line ran")
		flags.StringSliceVar(&f.invocations, "invocations", nil, "with --paths, also keep the times of calls of these `packages` or classes of the framework, such as java.util.zip.*")
		flags.BoolVar(&f.bursts, "bursts", false, "make bursts of load at the start and at the end, so that --align bursts finds them in the samples of a meter")
		flags.StringVar(&f.print, "print", "", "print the code of a `METHOD` with its probes as smali, such as com.mine.Feed.load, and write no file")
		flags.BoolVar(&f.original, "original", false, "with --print, print the code in the app, too")
	})
	for _, flag := range []string{"include", "exclude", "invocations", "print"} {
		completeWith(cmd, flag, cobra.NoFileCompletions)
	}
	return cmd
}

func (f *instrumentFlags) run(ctx context.Context, files *outputs, messages io.Writer, paths []string) error {
	switch {
	case f.print != "" && f.output != "":
		return errors.New("--print writes no APK: leave out -o")
	case f.print == "" && f.original:
		return errors.New("--original belongs to --print METHOD")
	case f.print == "" && (f.output == "" || f.output == "-"):
		return errors.New("instrument writes an APK: name it with -o, for example -o calls.apk")
	}
	boundGarbage()
	o, err := f.options()
	if err != nil {
		return err
	}
	var parts []instrument.Part
	for _, path := range paths {
		part, file, err := openPart(path)
		if err != nil {
			return err
		}
		defer file.Close()
		parts = append(parts, part)
	}
	if f.print != "" {
		listings, err := instrument.Print(ctx, parts, o, f.print)
		if err != nil {
			return err
		}
		return printed(files, func(w io.Writer) error { return f.list(w, listings) })
	}
	c := &copies{parts: parts, files: files}
	if err := c.plan(f.output, paths); err != nil {
		return err
	}
	result, err := instrument.App(ctx, parts, o)
	if err != nil {
		return err
	}
	key, err := f.key()
	if err != nil {
		return err
	}
	fmt.Fprintf(messages, "The copy has another signature (%s):\n", key.Fingerprint()[:16])
	for _, b := range parts[result.Base].Archive.Breaks(result.Manifest) {
		fmt.Fprintf(messages, "  - %s\n", printable(b))
	}
	if level := result.Manifest.MinSDK; level < oldestART {
		fmt.Fprintf(messages, "  - the copy needs Android 5 (API level %d), because it has a further dex file\n", oldestART)
	}
	if err := c.write(ctx, result, key); err != nil {
		return err
	}
	return printed(files, func(w io.Writer) error { return f.summary(w, result, c) })
}

// openPart opens an APK.
func openPart(path string) (instrument.Part, io.Closer, error) {
	file, err := os.Open(path)
	if err != nil {
		return instrument.Part{}, nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: it is not a file; name an APK", path)
	}
	if err != nil {
		return instrument.Part{}, nil, errors.Join(err, file.Close())
	}
	archive, err := apk.Open(file, info.Size())
	if err != nil {
		return instrument.Part{}, nil, errors.Join(inFile(path, err), file.Close())
	}
	return instrument.Part{Name: path, Archive: archive}, file, nil
}

// copies are the files that instrument writes.
type copies struct {
	parts []instrument.Part
	files *outputs
	// folder is set if there are several copies. It is created when they are written.
	folder  string
	paths   []string
	mapPath string
	inputs  []string
	// out has a writer for each copy, and one for the map.
	out []io.Writer
}

// plan sets the names of the copies. If there is only one, plan opens it, so that an error is
// reported before the work begins.
func (c *copies) plan(output string, inputs []string) error {
	c.inputs = inputs
	if len(inputs) == 1 {
		c.paths, c.mapPath = []string{output}, strings.TrimSuffix(output, filepath.Ext(output))+".calls-map"
		return c.open()
	}
	c.folder, c.mapPath = output, filepath.Join(output, "calls.calls-map")
	if info, err := os.Stat(output); err == nil && !info.IsDir() {
		return fmt.Errorf("writing %s: the copies of several files need a folder, and this is a file", output)
	}
	for _, path := range inputs {
		to := filepath.Join(output, filepath.Base(path))
		if i := slices.Index(c.paths, to); i >= 0 {
			return fmt.Errorf("%s and %s have the same name: rename one of them", inputs[i], path)
		}
		c.paths = append(c.paths, to)
	}
	return nil
}

func (c *copies) open() error {
	for _, path := range append(slices.Clone(c.paths), c.mapPath) {
		w, err := c.files.open(path, c.inputs...)
		if err != nil {
			return err
		}
		c.out = append(c.out, w)
	}
	return nil
}

// write writes the copies and the map.
func (c *copies) write(ctx context.Context, r *instrument.Result, key *apk.Key) error {
	if c.folder != "" {
		if err := os.MkdirAll(c.folder, 0o777); err != nil {
			return fmt.Errorf("writing %w", err)
		}
		if err := c.open(); err != nil {
			return err
		}
	}
	for i, part := range c.parts {
		if _, err := part.Archive.Write(ctx, c.out[i], r.Edits[i], key, r.Manifest.MinSDK); err != nil {
			return inFile(part.Name, err)
		}
	}
	if _, err := c.out[len(c.parts)].Write(runtime.MapBlock(r.Map)); err != nil {
		return fmt.Errorf("writing %s: %w", c.mapPath, err)
	}
	return nil
}

// list writes the code of the printed methods.
func (f *instrumentFlags) list(w io.Writer, listings []instrument.Listing) error {
	var b strings.Builder
	for i, l := range listings {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "# %s\n", l.Class)
		if f.original && l.After != "" {
			fmt.Fprintf(&b, "# in the app\n%s\n# with probes\n", l.Before)
		}
		if l.After == "" {
			fmt.Fprintf(&b, "# without probes: %s\n%s", l.Reason, l.Before)
			continue
		}
		b.WriteString(l.After)
	}
	for line := range strings.Lines(b.String()) {
		if _, err := fmt.Fprintln(w, printable(strings.TrimSuffix(line, "\n"))); err != nil {
			return err
		}
	}
	return nil
}

// options returns the options that select methods.
func (f *instrumentFlags) options() (o instrument.Options, err error) {
	o.Async, o.Paths, o.Bursts = f.async, f.paths, f.bursts
	if len(f.invocations) > 0 && !f.paths {
		return o, errors.New("--invocations belongs to --paths")
	}
	if o.Invocations, err = instrument.NewFilter(f.invocations); err != nil {
		return o, fmt.Errorf("--invocations: %w", err)
	}
	requests, err := trigger.BuiltIn()
	if err != nil {
		return o, err
	}
	o.Requests = func(m name.Method) bool { return requests.Find(m) != nil }
	if o.Include, err = instrument.NewFilter(f.include); err != nil {
		return o, fmt.Errorf("--include: %w", err)
	}
	if o.Exclude, err = instrument.NewFilter(f.exclude); err != nil {
		return o, fmt.Errorf("--exclude: %w", err)
	}
	return o, nil
}

// key returns the key with which the copies are signed.
func (f *instrumentFlags) key() (*apk.Key, error) {
	if f.keystore != "" {
		key, err := apk.ReadKey(f.keystore, os.Getenv(passwordVariable))
		if err != nil && os.Getenv(passwordVariable) == "" {
			err = fmt.Errorf("%w; %s is not set", err, passwordVariable)
		}
		return key, err
	}
	folder, err := os.UserConfigDir()
	if err != nil {
		return nil, fmt.Errorf("there is no folder for the debug key: %w; name a key with --keystore", err)
	}
	folder = filepath.Join(folder, "diffprof")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("the debug key: %w; name a key with --keystore", err)
	}
	return apk.DebugKey(filepath.Join(folder, "debug-key.pem"))
}

// inFile adds the name of the file to an error.
func inFile(path string, err error) error {
	if bad, ok := errors.AsType[*syntax.Error](err); ok && bad.File == "" {
		bad.File = path
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// summary prints how many methods and calls the copies count, and the commands to run next.
func (f *instrumentFlags) summary(w io.Writer, r *instrument.Result, c *copies) error {
	fmt.Fprintf(w, "methods counted   %d\ncall sites        %d\n", r.Methods, r.Sites)
	if f.paths {
		fmt.Fprintf(w, "with paths        %d\nwith times        %d call sites\n", r.Paths, r.Timed)
		for _, l := range r.WithoutPaths {
			fmt.Fprintf(w, "  not %s: %s\n", printable(l.Dex+" "+l.Method), printable(l.Reason))
		}
	}
	if f.async {
		fmt.Fprintf(w, "hand-overs        %d, to %d methods\n", r.HandOvers, r.Carriers)
	}
	if r.Unclear > 0 {
		fmt.Fprintf(w, "calls not counted %d: their class has several interfaces of the framework\n", r.Unclear)
	}
	if r.Moved > 0 {
		fmt.Fprintf(w, "classes moved     %d to a new dex file: the old one is full of references\n", r.Moved)
	}
	fmt.Fprintf(w, "left as it was    %d\n", len(r.Skipped))
	for _, l := range r.Skipped {
		fmt.Fprintf(w, "  %s: %s\n", printable(strings.TrimSuffix(l.Dex+" "+l.Method, " ")), printable(l.Reason))
	}
	app := "com.mine"
	if len(r.Manifest.Packages) > 0 {
		app = printable(cmp.Or(r.Manifest.Packages[0], app))
	}
	install := "install"
	if c.folder != "" {
		install = "install-multiple"
	}
	show := "diffprof profile --api-costs costs.csv run"
	if f.paths {
		show = "diffprof lines run"
	}
	var paths []string
	for _, path := range c.paths {
		paths = append(paths, printable(path))
	}
	_, err := fmt.Fprintf(w, `
written           %s

Next:
  adb %s %s
  (use the app for more than two seconds)
  adb pull /sdcard/Android/data/%s/files/diffprof-calls run
  %s
`, strings.Join(append(slices.Clone(paths), printable(c.mapPath)), ", "), install, strings.Join(paths, " "), app, show)
	return err
}
