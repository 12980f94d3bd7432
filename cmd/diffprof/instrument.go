package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/apk"
	"github.com/diffprof/diffprof/instrument"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/settings"
)

// passwordVariable is the environment variable with the password of the keystore.
const passwordVariable = "DIFFPROF_KEYSTORE_PASSWORD"

// oldestART is the first API level whose devices load several dex files by themselves.
const oldestART = 21

// instrumentFlags are the flags of diffprof instrument.
type instrumentFlags struct {
	output, keystore string
	include, exclude []string
}

// newInstrument builds diffprof instrument.
func newInstrument(files *outputs) *cobra.Command {
	var f instrumentFlags
	cmd := &cobra.Command{
		Use:   "instrument [flags] APP.apk -o OUT.apk",
		Short: "Make a build of an app that counts its framework calls (experimental)",
		Long: `instrument writes a copy of an APK that counts the app's calls of the framework,
per call path. It changes the code in the APK. It needs no source code, no SDK and
no Java, and it does not change the input.

instrument is experimental: no phone has run a rewritten app yet. Each rewritten
method is verified by the rules of Android's bytecode. A method that fails stays
as it was, and instrument lists it with the reason.

Methods of the app's own code are counted, and methods of libraries that call the
framework. --include and --exclude choose others by their packages and classes.

The copy has a new signature, which breaks what depends on the old one; instrument
lists it before it writes. The key is a debug key that is made once, or the key of
--keystore, whose password is in ` + passwordVariable + `.

docs/instrument.md has the limits.`,
		Example: `  diffprof instrument app.apk -o calls.apk
  adb install calls.apk
  # Use the app for more than two seconds
  adb pull /sdcard/Android/data/com.mine/files/diffprof-calls run
  diffprof profile --api-costs costs.csv run`,
		Args: exactly("APP.apk"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), files, cmd.ErrOrStderr(), args[0])
		},
	}
	inGroup(cmd, settings.Output, func(flags *pflag.FlagSet) {
		flags.StringVarP(&f.output, "output", "o", "", "`FILE` for the copy")
		flags.StringVar(&f.keystore, "keystore", "", "`FILE` with the key that signs the copy, in the form PKCS#12; a debug key by default")
	})
	inGroup(cmd, groupGeneral, func(flags *pflag.FlagSet) {
		flags.StringSliceVar(&f.include, "include", nil, "count only the methods of these `packages` or classes, such as com.mine.* or com.mine.Feed")
		flags.StringSliceVar(&f.exclude, "exclude", nil, "leave the methods of these `packages` or classes as they are")
	})
	for _, flag := range []string{"include", "exclude"} {
		completeWith(cmd, flag, cobra.NoFileCompletions)
	}
	return cmd
}

func (f *instrumentFlags) run(ctx context.Context, files *outputs, messages io.Writer, path string) error {
	if f.output == "" || f.output == "-" {
		return errors.New("instrument writes an APK: name it with -o, for example -o calls.apk")
	}
	o, err := f.options()
	if err != nil {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: it is not a file; name an APK", path)
	}
	mapPath := strings.TrimSuffix(f.output, filepath.Ext(f.output)) + ".map.json"
	out, err := files.open(f.output, path)
	if err != nil {
		return err
	}
	mapOut, err := files.open(mapPath, path)
	if err != nil {
		return err
	}
	archive, err := apk.Open(file, info.Size())
	if err != nil {
		return inFile(path, err)
	}
	result, err := instrument.App(ctx, archive, o)
	if err != nil {
		return inFile(path, err)
	}
	key, err := f.key()
	if err != nil {
		return err
	}
	fmt.Fprintf(messages, "The copy has another signature (%s):\n", key.Fingerprint()[:16])
	for _, b := range archive.Breaks(result.Manifest) {
		fmt.Fprintf(messages, "  - %s\n", printable(b))
	}
	if level := result.Manifest.MinSDK; level < oldestART {
		fmt.Fprintf(messages, "  - the copy needs Android 5 (API level %d), because it has a further dex file\n", oldestART)
	}
	if _, err := archive.Write(ctx, out, result.Edits, key, result.Manifest.MinSDK); err != nil {
		return inFile(path, err)
	}
	if _, err := mapOut.Write(result.Map); err != nil {
		return fmt.Errorf("writing %s: %w", mapPath, err)
	}
	return printed(files, func(w io.Writer) error { return f.summary(w, result, mapPath) })
}

// options returns the choice of methods.
func (f *instrumentFlags) options() (o instrument.Options, err error) {
	if o.Include, err = instrument.NewFilter(f.include); err != nil {
		return o, fmt.Errorf("--include: %w", err)
	}
	if o.Exclude, err = instrument.NewFilter(f.exclude); err != nil {
		return o, fmt.Errorf("--exclude: %w", err)
	}
	return o, nil
}

// key returns the key that signs the copy.
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
		return nil, fmt.Errorf("the debug key has no place: %w; name a key with --keystore", err)
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

// summary writes what the copy counts, and the next commands.
func (f *instrumentFlags) summary(w io.Writer, r *instrument.Result, mapPath string) error {
	fmt.Fprintf(w, "methods counted   %d\ncall sites        %d\n", r.Methods, r.Sites)
	if r.Unclear > 0 {
		fmt.Fprintf(w, "calls not counted %d, whose class has several interfaces of the framework\n", r.Unclear)
	}
	fmt.Fprintf(w, "left as it was    %d\n", len(r.Left))
	for _, l := range r.Left {
		fmt.Fprintf(w, "  %s: %s\n", printable(strings.TrimSuffix(l.Dex+" "+l.Method, " ")), printable(l.Reason))
	}
	app := "com.mine"
	if len(r.Manifest.Packages) > 0 {
		app = printable(cmp.Or(r.Manifest.Packages[0], app))
	}
	_, err := fmt.Fprintf(w, `
written           %s, %s

Next:
  adb install %s
  (use the app for more than two seconds)
  adb pull /sdcard/Android/data/%s/files/diffprof-calls run
  diffprof profile --api-costs costs.csv run
`, printable(f.output), printable(mapPath), printable(f.output), app)
	return err
}
