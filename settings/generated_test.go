package settings

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

var update = flag.Bool("update", false, "rewrite the files that are made of the settings, and the golden files")

func TestGenerated(t *testing.T) {
	schema, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	contributes, err := Contributes()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][]byte{
		"../docs/settings.md":                       []byte(Markdown()),
		"../docs/diffprof.schema.json":              schema,
		"../vscode-extension/settings.json":         contributes,
		"../editors/nvim/lua/diffprof/settings.lua": []byte(Annotations()),
		"../editors/nvim/doc/diffprof-settings.txt": []byte(Help()),
	} {
		if *update {
			if err := os.WriteFile(path, want, 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the settings say; run go generate ./settings", path)
		}
	}
}

// compileSchema returns the schema of diffprof.yaml.
func compileSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	data, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// TestSchemaAndReaderAgree checks that the schema and the reader reject the same values, if
// both can.
func TestSchemaAndReaderAgree(t *testing.T) {
	schema := compileSchema(t)
	for text, good := range map[string]bool{
		`{}`:                   true,
		`{"subject":"a"}`:      true,
		`{"subject":1}`:        false,
		`{"alpha":"auto"}`:     true,
		`{"alpha":3}`:          true,
		`{"alpha":-1}`:         false,
		`{"alpha":1.5}`:        false,
		`{"alpha":"three"}`:    false,
		`{"alpha":"3"}`:        true,
		`{"alpha":"03"}`:       false,
		`{"alpha":2147483648}`: false,
		`{"appPackages":["com.mine.*"],"frameworkPackages":[]}`: true,
		`{"appPackages":"com.mine"}`:                            false,
		`{"merge":["app","entry"]}`:                             true,
		`{"merge":["apps"]}`:                                    false,
		`{"voltage":3.85}`:                                      true,
		`{"voltage":0}`:                                         false,
		`{"unit":"uAh"}`:                                        true,
		`{"unit":"kWh"}`:                                        false,
		`{"minShare":"1%"}`:                                     true,
		`{"minShare":0.01}`:                                     true,
		`{"minShare":1.1}`:                                      false,
		`{"minShare":"never"}`:                                  false,
		`{"minShare":"auto"}`:                                   true,
		`{"minShare":"5%auto"}`:                                 false,
		`{"noise":"5%"}`:                                        true,
		`{"noise":"0.5%"}`:                                      true,
		`{"noise":"auto"}`:                                      true,
		`{"noise":"0%"}`:                                        false,
		`{"noise":"0.0%"}`:                                      false,
		`{"noise":0}`:                                           false,
		`{"matters":0.02}`:                                      true,
		`{"matters":-1}`:                                        false,
		`{"severity":{"error":"auto"}}`:                         false,
		`{"foldedUnit":"ms"}`:                                   true,
		`{"foldedUnit":"auto"}`:                                 false,
		`{"foldedUnit":1}`:                                      false,
		`{"flowsSubject":"a.flows","flowsReference":"b.flows"}`: true,
		`{"flows":"a.flows"}`:        false,
		`{"partial":true}`:           true,
		`{"partial":"true"}`:         false,
		`{"maxExpanded":"8GiB"}`:     true,
		`{"maxExpanded":"1.5 gb"}`:   true,
		`{"maxExpanded":8589934592}`: true,
		`{"maxExpanded":"8GX"}`:      false,
		`{"maxExpanded":"1,024"}`:    false,
		`{"maxExpanded":0}`:          false,
		`{"maxExpanded":1.5}`:        false,
		`{"maxExpanded":"auto"}`:     false,
		`{"maxMemory":"auto"}`:       true,
		`{"maxMemory":"512MiB"}`:     true,
		`{"maxMemory":"much"}`:       false,
		`{"threads":4}`:              true,
		`{"threads":-1}`:             false,
		`{"threads":"4"}`:            false,
		`{"top":0}`:                  true,
		`{"top":"auto"}`:             true,
		`{"top":"12"}`:               true,
		`{"top":1.5}`:                false,
		`{"minShare":"1"}`:           false,
		`{"severity":{"error":"never","warning":"12.5%"}}`: true,
		`{"severity":{"fatal":1}}`:                         false,
		`{"severity":"warning"}`:                           false,
		`{"codeLens":{"class":false}}`:                     true,
		`{"codeLens":{"class":1}}`:                         false,
		`{"codeLens":{"klass":true}}`:                      false,
		`{"inlayHints":false}`:                             true,
		`{"ignore":[{"task":"a.B.c","reason":"x"}]}`:       true,
		`{"ignore":[{"id":"0123456789abcdef"}]}`:           true,
		`{"ignore":[{"reason":"x"}]}`:                      false,
		`{"ignore":[{"task":"a.B.c","why":"x"}]}`:          false,
		`{"ignore":["a.B.c"]}`:                             false,
		`{"subjet":"a"}`:                                   false,
	} {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(text)))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); (err == nil) != good {
			t.Errorf("%s: the schema says %v", text, err)
		}
		if _, problems := Default().WithJSON([]byte(text), ""); (len(problems) == 0) != good {
			t.Errorf("%s: read as JSON: %v", text, problems)
		}
		// JSON is YAML.
		if _, problems := Default().WithYAML([]byte(text), ""); (len(problems) == 0) != good {
			t.Errorf("%s: read as YAML: %v", text, problems)
		}
	}
}

// TestDefaultsAreTheDefaults reads the documented defaults.
func TestDefaultsAreTheDefaults(t *testing.T) {
	layer := object{}
	for _, k := range keys() {
		if k.defaultValue != nil {
			layer[k.name] = k.defaultValue
		}
	}
	for _, nested := range []struct {
		name   string
		schema object
	}{{"severity", objectSchema(severityKeys())}, {"codeLens", objectSchema(lensKeys())}} {
		values := object{}
		for name, p := range nested.schema["properties"].(object) {
			values[name] = p.(object)["default"]
		}
		layer[nested.name] = values
	}
	data, err := json.Marshal(layer)
	if err != nil {
		t.Fatal(err)
	}
	compileSchema(t)
	got, problems := Settings{}.WithJSON(data, "")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	same(t, got, Default())
}

func TestContributesIsJSONOfEverySetting(t *testing.T) {
	var c struct {
		Title      string
		Properties map[string]struct {
			MarkdownDescription string
			Type                any
			Enum                []any
		}
	}
	data, err := Contributes()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &c); err != nil {
		t.Fatal(err)
	}
	for _, k := range keys() {
		p := c.Properties["diffprof."+k.name]
		if p.MarkdownDescription != k.doc || p.Type == nil && p.Enum == nil {
			t.Errorf("%s: %+v", k.name, p)
		}
	}
	if len(c.Properties) != len(keys()) {
		t.Errorf("%d settings, want %d", len(c.Properties), len(keys()))
	}
}
