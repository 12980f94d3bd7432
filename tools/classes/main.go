// Command classes creates the built-in class table, code/classes/table.bin, from Android's
// framework jars and a JDK. The README in that folder explains how to get them.
//
// Usage:
//
//	go run ./tools/classes -o code/classes/table.bin -jdk JDK_HOME JAR_OR_FOLDER…
//
// A folder means the .jar files in it. The same inputs, in any order, give the same bytes. Without
// a jar, the command prints an explanation and does not change the table, so that all other files
// can be generated without downloading a gigabyte.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/code/classes"
)

func main() {
	out := flag.String("o", "table.bin", "table to write")
	jdk := flag.String("jdk", "", "home of a JDK that has jmods")
	flag.Parse()
	if err := run(*out, *jdk, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "classes:", err)
		os.Exit(1)
	}
}

func run(out, jdk string, args []string) error {
	args = slices.DeleteFunc(args, func(arg string) bool { return arg == "" })
	if len(args) == 0 {
		fmt.Fprintln(os.Stderr, "classes: no jars given, the table stays as it is; see tools/classes/README.md")
		return nil
	}
	if jdk == "" {
		return errors.New("no JDK given: use -jdk or set JAVA_HOME")
	}
	jars, err := findJars(args)
	if err != nil {
		return err
	}
	java, err := jdkVersion(jdk)
	if err != nil {
		return err
	}

	var t table
	for _, jar := range jars {
		if err := t.add("android-all "+androidVersion(jar), jar); err != nil {
			return err
		}
	}
	if err := t.add("jdk "+java, filepath.Join(jdk, "jmods")); err != nil {
		return err
	}
	file := classes.Encode(t.versions, t.packages(), t.classes)
	if err := os.WriteFile(out, file, 0o644); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "classes: %s: %d bytes, %d packages, %d classes from %s\n",
		out, len(file), len(t.packages()), len(t.classes), strings.Join(t.versions, ", "))
	return nil
}

// findJars returns the jars that the arguments name, the oldest Android first.
func findJars(args []string) ([]string, error) {
	var jars []string
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			jars = append(jars, arg)
			continue
		}
		found, err := filepath.Glob(filepath.Join(arg, "*.jar"))
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s: no jars in this folder", arg)
		}
		jars = append(jars, found...)
	}
	slices.SortFunc(jars, func(a, b string) int {
		return compareVersions(androidVersion(a), androidVersion(b))
	})
	return jars, nil
}

// androidVersion returns the jar's Maven version, which is at the end of its file name.
func androidVersion(jar string) string {
	return strings.TrimPrefix(strings.TrimSuffix(filepath.Base(jar), ".jar"), "android-all-")
}

// compareVersions compares the numbers at the start of two versions. They end at the first
// character that is neither a digit nor a dot. If the numbers are equal, it compares the texts.
func compareVersions(a, b string) int {
	numbers := func(version string) (out []int) {
		if end := strings.IndexFunc(version, func(r rune) bool { return r != '.' && (r < '0' || r > '9') }); end >= 0 {
			version = version[:end]
		}
		for part := range strings.SplitSeq(version, ".") {
			n, _ := strconv.Atoi(part) // an empty part counts as 0
			out = append(out, n)
		}
		return out
	}
	if c := slices.Compare(numbers(a), numbers(b)); c != 0 {
		return c
	}
	return strings.Compare(a, b)
}

// jdkVersion reads JAVA_VERSION="17.0.15" from the JDK's release file.
func jdkVersion(home string) (string, error) {
	data, err := os.ReadFile(filepath.Join(home, "release"))
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(data)) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "JAVA_VERSION="); ok {
			return strings.Trim(value, `"`), nil
		}
	}
	return "", fmt.Errorf("%s: no JAVA_VERSION in its release file", home)
}

// A table collects the classes and packages of the inputs.
type table struct {
	versions []string
	classes  []classes.Class
	seen     map[string]bool // packages
}

// add reads the classes in path, which is of this version, except those that are not framework. A
// damaged entry is an error, because the table would be incomplete.
func (t *table) add(version, path string) error {
	found, damaged, err := classes.ReadPath(context.Background(), path, classes.Limits{})
	if err != nil {
		return err
	}
	if len(damaged) > 0 {
		return damaged[0]
	}
	if t.seen == nil {
		t.seen = make(map[string]bool)
	}
	kept := 0
	for _, class := range found {
		dot := strings.LastIndexByte(class.Name, '.')
		if dot < 0 || bundled(class.Name[:dot]) {
			continue
		}
		if strings.HasSuffix(class.Name, ".package-info") {
			continue
		}
		t.seen[class.Name[:dot]] = true
		t.classes = append(t.classes, class)
		kept++
	}
	t.versions = append(t.versions, version)
	fmt.Fprintf(os.Stderr, "classes: %s: kept %d of %d classes\n", version, kept, len(found))
	return nil
}

func (t *table) packages() []string {
	packages := make([]string, 0, len(t.seen))
	for pkg := range t.seen {
		packages = append(packages, pkg)
	}
	return packages
}
