package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// A part is a third-party component of the program.
type part struct {
	// kind is the registry, as in package URLs.
	kind, name, version string
	// licences is a folder with its license. It is empty if the license is elsewhere.
	licences string
}

// sources is the folder of the parsers' module, whose C sources are not in go.mod.
const sources = "code/source/internal/syntaxtree/module/build"

// parts returns the components of the program on any platform, sorted by name.
func (r *release) parts() ([]part, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	found := map[part]bool{{"golang", "std", strings.TrimPrefix(runtime.Version(), "go"), strings.TrimSpace(string(root))}: true}
	for _, p := range platforms {
		cmd := exec.Command("go", "list", "-deps", "-f", `{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}`, "./cmd/diffprof")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.goos, "GOARCH="+p.goarch)
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", cmd, err)
		}
		for line := range strings.Lines(string(out)) {
			if fields := strings.SplitN(strings.TrimSpace(line), " ", 3); len(fields) == 3 {
				found[part{"golang", fields[0], fields[1], fields[2]}] = true
			}
		}
	}
	parser, err := parserSources()
	if err != nil {
		return nil, err
	}
	found[parser] = true
	web, err := webParts()
	if err != nil {
		return nil, err
	}
	var all []part
	for p := range found {
		all = append(all, p)
	}
	all = append(all, web...)
	slices.SortFunc(all, func(a, b part) int { return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.name, b.name)) })
	return all, nil
}

// parserSources returns the module that the parsers' build script names.
func parserSources() (part, error) {
	script, err := os.ReadFile(sources)
	if err != nil {
		return part{}, err
	}
	_, rest, _ := strings.Cut(string(script), "\nmodule=")
	named, _, _ := strings.Cut(rest, "\n")
	path, version, ok := strings.Cut(named, "@")
	if !ok {
		return part{}, fmt.Errorf("%s names no module", sources)
	}
	out, err := output("go", "mod", "download", "-json", named)
	if err != nil {
		return part{}, err
	}
	var got struct{ Dir string }
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		return part{}, fmt.Errorf("go mod download: %w", err)
	}
	return part{"golang", path, version, got.Dir}, nil
}

// webParts returns the components of the page's bundle. Their licenses are at the start of the
// bundle.
func webParts() ([]part, error) {
	data, err := os.ReadFile("web/package.json")
	if err != nil {
		return nil, err
	}
	var manifest struct{ Dependencies map[string]string }
	if err := json.Unmarshal(data, &manifest); err != nil {
		return nil, fmt.Errorf("web/package.json: %w", err)
	}
	var all []part
	for name, version := range manifest.Dependencies {
		all = append(all, part{kind: "npm", name: name, version: version})
	}
	return all, nil
}

// documents returns the files that are shipped with the program, including the licenses of its
// parts.
func documents(parts []part) ([]file, error) {
	var all []file
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		content, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		all = append(all, file{name: name, content: content})
	}
	for _, name := range []string{"README.md", "template.json"} {
		content, err := os.ReadFile("editors/android-studio/" + name)
		if err != nil {
			return nil, err
		}
		all = append(all, file{name: "android-studio/" + name, content: content})
	}
	licences, err := notices(parts)
	return append(all, file{name: "NOTICES.txt", content: licences}), err
}

// notices returns the licenses of the parts. It returns an error if a part has no license.
func notices(parts []part) ([]byte, error) {
	var out bytes.Buffer
	out.WriteString("diffprof has parts of others in it, under the licences below. The page that it writes has\nparts, too; their licences are at the head of its script.\n")
	for _, p := range parts {
		if p.licences == "" {
			continue
		}
		entries, err := os.ReadDir(p.licences)
		if err != nil {
			return nil, err
		}
		var found []string
		for _, e := range entries {
			// A file name may contain the name of the license, as in LICENSE-APACHE-2.0.txt.
			name, _, _ := strings.Cut(strings.ToLower(e.Name()), ".")
			name, _, _ = strings.Cut(name, "-")
			switch name {
			case "license", "licence", "copying", "notice":
				found = append(found, filepath.Join(p.licences, e.Name()))
			}
		}
		if len(found) == 0 {
			return nil, errors.New("no licence is in " + p.name)
		}
		for _, path := range found {
			text, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(&out, "\n%s\n%s %s, %s\n\n%s\n", strings.Repeat("=", 80), p.name, p.version, filepath.Base(path), bytes.TrimSpace(text))
		}
	}
	return out.Bytes(), nil
}

// bom returns the list of the parts in the format CycloneDX 1.6.
func bom(parts []part, version string, date time.Time) ([]byte, error) {
	type component struct {
		Type    string `json:"type"`
		Name    string `json:"name"`
		Version string `json:"version"`
		PURL    string `json:"purl"`
	}
	purl := func(kind, name, version string) string {
		return "pkg:" + kind + "/" + strings.ReplaceAll(name, "@", "%40") + "@" + strings.ReplaceAll(version, "+", "%2B")
	}
	type metadata struct {
		Timestamp string    `json:"timestamp"`
		Component component `json:"component"`
	}
	list := struct {
		Format      string      `json:"bomFormat"`
		SpecVersion string      `json:"specVersion"`
		Version     int         `json:"version"`
		Metadata    metadata    `json:"metadata"`
		Components  []component `json:"components"`
	}{"CycloneDX", "1.6", 1, metadata{date.Format(time.RFC3339), component{"application", "diffprof", version, purl("golang", "github.com/diffprof/diffprof", version)}}, nil}
	for _, p := range parts {
		list.Components = append(list.Components, component{"library", p.name, p.version, purl(p.kind, p.name, p.version)})
	}
	return json.MarshalIndent(list, "", "  ")
}
