// Package pipeline looks at the repository of an Android app, and writes a pipeline that records
// the app and compares each change with its merge base.
//
// It reads Gradle files as text and runs nothing. A build can compute its settings in any way, so
// the package recognises only the usual forms. It lists the facts that it could not find.
package pipeline

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A Kind is the kind of a Gradle module.
type Kind int

// The kinds.
const (
	Other Kind = iota
	App
	// Test is a module of com.android.test, such as one with macrobenchmarks.
	Test
	Library
)

// A Module is a module of a Gradle build.
type Module struct {
	// Path is the path in Gradle, such as :app. Folder is the folder, relative to the root.
	Path, Folder string
	Kind         Kind
	// ApplicationID is empty if the file does not state it. HasSuffix is set if a variant adds a
	// suffix.
	ApplicationID string
	HasSuffix     bool
	// Target is the path of the app that a Test is for.
	Target string
	// Runner is the class that runs the instrumented tests, empty for the usual one.
	Runner string
	// BuildTypes and Flavors are the build types and flavours that the file creates.
	BuildTypes, Flavors []string
	// ComputesFlavors is set if the file calls a function for flavours.
	ComputesFlavors bool
	// BaselineProfile is set if the plugin of baseline profiles makes the build types.
	BaselineProfile bool
	// Benchmarks are the classes with macrobenchmarks.
	Benchmarks []string
	// Tests is set if the module has instrumented tests.
	Tests bool
}

// A Repository has the facts that Inspect finds.
type Repository struct {
	Modules []Module
	// Gradle is set if the repository has a Gradle wrapper.
	Gradle bool
	// GitHub and GitLab are set if the repository has pipelines for these services. Workflows are
	// the files of the pipelines.
	GitHub, GitLab bool
	Workflows      []string
	// Java is the version of Java in the workflows or the Gradle files, empty if unknown.
	Java string
}

// Limits of Inspect.
const (
	maxFiles = 20_000
	maxSize  = 1 << 20
)

var (
	comments      = regexp.MustCompile(`(?s)/\*.*?\*/|(?m)(^|\s)//[^\n]*`)
	pluginID      = regexp.MustCompile(`(?:\bid|\bplugin:?)\s*\(?\s*["']([\w.-]+)["']`)
	pluginAlias   = regexp.MustCompile(`alias\s*\(?\s*libs\.plugins\.([\w.]+)`)
	catalogPlugin = regexp.MustCompile(`(?m)^\s*([\w-]+)\s*=\s*(?:\{[^}\n]*\bid\s*=\s*)?["']([\w.-]+)`)
	applicationID = regexp.MustCompile(`\bapplicationId\s*=?\s*\(?\s*["']([\w.]+)["']`)
	target        = regexp.MustCompile(`\btargetProjectPath\s*=?\s*\(?\s*["']([\w:.-]+)["']`)
	runner        = regexp.MustCompile(`\btestInstrumentationRunner\s*=?\s*\(?\s*["']([\w.]+)["']`)
	suffix        = regexp.MustCompile(`\bapplicationIdSuffix\b`)
	create        = regexp.MustCompile(`(?:create|register|maybeCreate|getByName|named)\s*\(\s*["'](\w+)["']|(?m)^\s*(\w+)\s*\{`)
	moduleName    = regexp.MustCompile(`["'](:[\w:.-]+)["']`)
	bareInclude   = regexp.MustCompile(`(?m)^\s*include\s*\(?\s*["']([\w-][\w:.-]*)["']`)
	projectDir    = regexp.MustCompile(`project\s*\(\s*["'](:[\w:.-]+)["']\s*\)\.projectDir\s*=\s*(?:new\s+File|file)\s*\(\s*(?:\w+\s*,\s*)?["']([\w./-]+)["']`)
	javaVersion   = regexp.MustCompile(`java-version:\s*["']?(\d+)|jvmToolchain\s*\(\s*(\d+)`)
	plain         = regexp.MustCompile(`^[\w./-]+$`)
	packageOf     = regexp.MustCompile(`(?m)^\s*package\s+([\w.]+)`)
	classOf       = regexp.MustCompile(`(?m)^\s*(?:public\s+|final\s+|internal\s+|open\s+)*class\s+(\w+)`)
)

// Inspect reads a repository.
func Inspect(root fs.FS) (*Repository, error) {
	r := &Repository{}
	var builds, sources []string
	files := 0
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := path.Base(name)
		if d.IsDir() {
			if slices.Contains([]string{".git", ".gradle", ".idea", "build", "node_modules", "buildSrc", "build-logic"}, base) && name != "." {
				return fs.SkipDir
			}
			return nil
		}
		if files++; files > maxFiles {
			return fs.SkipAll
		}
		ext := path.Ext(base)
		switch {
		case !d.Type().IsRegular():
		case base == "build.gradle" || base == "build.gradle.kts":
			builds = append(builds, name)
		case ext == ".kt" || ext == ".java":
			sources = append(sources, name)
		case name == "gradlew":
			r.Gradle = true
		case name == ".gitlab-ci.yml":
			r.GitLab = true
		case name == (&Plan{}).File(): // an earlier run wrote this file
		case path.Dir(name) == ".github/workflows" && (ext == ".yml" || ext == ".yaml"):
			r.GitHub = true
			r.Workflows = append(r.Workflows, name)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("looking at the repository: %w", err)
	}
	settings := text(root, "settings.gradle.kts") + text(root, "settings.gradle")
	folders, listed := modules(settings)
	plugins := catalog(root)
	for _, file := range builds {
		folder := path.Dir(file)
		if folder == "." && len(builds) > 1 || !plain.MatchString(folder) {
			continue // A script would have to quote the name of such a folder.
		}
		at := folders[folder]
		if at == "" {
			if at = ":" + strings.ReplaceAll(folder, "/", ":"); folder == "." {
				at = ":"
			}
			if len(listed) > 0 && !listed[at] && folder != "." {
				continue
			}
		}
		r.Modules = append(r.Modules, module(at, folder, text(root, file), plugins))
	}
	for _, file := range sources {
		r.source(root, file)
	}
	for _, file := range append(r.Workflows, builds...) {
		if m := javaVersion.FindStringSubmatch(text(root, file)); m != nil && r.Java == "" {
			r.Java = m[1] + m[2]
		}
	}
	for i := range r.Modules {
		slices.Sort(r.Modules[i].Benchmarks)
	}
	slices.SortFunc(r.Modules, func(a, b Module) int { return strings.Compare(a.Path, b.Path) })
	return r, nil
}

// text reads a small file, without comments. It returns "" if the file cannot be read.
func text(root fs.FS, name string) string {
	info, err := fs.Stat(root, name)
	if err != nil || info.Size() > maxSize {
		return ""
	}
	data, err := fs.ReadFile(root, name)
	if err != nil {
		return ""
	}
	return comments.ReplaceAllString(string(data), "$1")
}

// modules finds the modules in Gradle's settings file. listed has their paths. folders maps a
// folder to the path of its module, if the file states the folder.
func modules(settings string) (folders map[string]string, listed map[string]bool) {
	folders, listed = map[string]string{}, map[string]bool{}
	for _, m := range moduleName.FindAllStringSubmatch(settings, -1) {
		listed[m[1]] = true
	}
	for _, m := range bareInclude.FindAllStringSubmatch(settings, -1) {
		listed[":"+m[1]] = true
	}
	for _, m := range projectDir.FindAllStringSubmatch(settings, -1) {
		folders[path.Clean(m[2])] = m[1]
	}
	return folders, listed
}

// catalog returns the plugin ids of Gradle's version catalog, by the aliases in build files.
func catalog(root fs.FS) map[string]string {
	found := map[string]string{}
	_, plugins, ok := strings.Cut(text(root, "gradle/libs.versions.toml"), "[plugins]")
	if !ok {
		return found
	}
	plugins, _, _ = strings.Cut(plugins, "\n[")
	for _, m := range catalogPlugin.FindAllStringSubmatch(plugins, -1) {
		id, _, _ := strings.Cut(m[2], ":")
		found[strings.NewReplacer("-", ".", "_", ".").Replace(m[1])] = id
	}
	return found
}

func module(at, folder, build string, plugins map[string]string) Module {
	m := Module{Path: at, Folder: folder}
	var ids []string
	for _, f := range pluginID.FindAllStringSubmatch(build, -1) {
		ids = append(ids, f[1])
	}
	for _, f := range pluginAlias.FindAllStringSubmatch(build, -1) {
		name := strings.NewReplacer("-", ".", "_", ".").Replace(f[1])
		ids = append(ids, plugins[name], name)
	}
	for _, id := range ids {
		switch {
		// A plugin of the repository itself usually has a name that ends like the name of Android's
		// plugin.
		case id == "com.android.test" || strings.HasSuffix(id, ".android.test"):
			m.Kind = Test
		case m.Kind == Other && (id == "com.android.application" || strings.HasSuffix(id, ".android.application")):
			m.Kind = App
		case m.Kind == Other && (id == "com.android.library" || strings.HasSuffix(id, ".android.library")):
			m.Kind = Library
		}
		m.BaselineProfile = m.BaselineProfile || strings.HasSuffix(id, "baselineprofile")
	}
	first := func(pattern *regexp.Regexp) string {
		if f := pattern.FindStringSubmatch(build); f != nil {
			return f[1]
		}
		return ""
	}
	m.ApplicationID, m.Target, m.Runner = first(applicationID), first(target), first(runner)
	m.HasSuffix = suffix.MatchString(build)
	if m.Kind == Other && m.Target != "" {
		m.Kind = Test
	} else if m.Kind == Other && m.ApplicationID != "" {
		m.Kind = App
	}
	m.BuildTypes, m.Flavors = names(build, "buildTypes"), names(build, "productFlavors")
	m.ComputesFlavors = len(m.Flavors) == 0 && regexp.MustCompile(`(?i)flavors?\s*\(|\.flavors\b`).MatchString(build+"\n"+strings.Join(ids, "\n"))
	return m
}

// names returns the names of the entries in a block of a build file.
func names(build, block string) []string {
	at := regexp.MustCompile(`\b` + block + `\s*\{`).FindStringIndex(build)
	if at == nil {
		return nil
	}
	var found []string
	depth, line := 1, ""
	for _, c := range build[at[1]:] {
		switch c {
		case '{':
			if depth == 1 {
				if m := create.FindStringSubmatch(line + "{"); m != nil {
					found = append(found, m[1]+m[2])
				}
			}
			depth++
			line = ""
		case '}':
			depth--
			line = ""
		case '\n':
			line = ""
		default:
			line += string(c)
		}
		if depth == 0 {
			break
		}
	}
	return found
}

// source adds the facts of a source file to its module.
func (r *Repository) source(root fs.FS, file string) {
	var in *Module
	for i := range r.Modules {
		m := &r.Modules[i]
		if strings.HasPrefix(file, m.Folder+"/") && (in == nil || len(m.Folder) > len(in.Folder)) {
			in = m
		}
	}
	if in == nil {
		return
	}
	below := strings.TrimPrefix(file, in.Folder+"/")
	if strings.HasPrefix(below, "src/androidTest") && in.Kind != Test {
		in.Tests = true
	}
	if in.Kind != Test {
		return
	}
	code := text(root, file)
	if !strings.Contains(code, "MacrobenchmarkRule") {
		return
	}
	if class := classOf.FindStringSubmatch(code); class != nil && strings.Contains(code, "@Test") {
		name := class[1]
		if pkg := packageOf.FindStringSubmatch(code); pkg != nil {
			name = pkg[1] + "." + name
		}
		in.Benchmarks = append(in.Benchmarks, name)
	}
}
