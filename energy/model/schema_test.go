package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/diffprof/diffprof/trace"
)

// TestSchema compares the schema with the reader. The schema accepts every built-in model. It
// rejects the faulty models that the reader rejects, except those listed here with a reason.
func TestSchema(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("power-model.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("power-model.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	valid := func(data []byte) error {
		var value any
		if err := yaml.Unmarshal(data, &value); err != nil {
			return err
		}
		return schema.Validate(value)
	}
	for _, name := range ready {
		data, err := files.ReadFile("ready/" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		if err := valid(data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A schema cannot relate one value to another.
	const paths, order = "follows no transitions", "compares no two values of a list"
	passes := map[string]string{
		"sound.yaml":             "has no fault",
		"unreachable state.yaml": paths, "circle.yaml": paths, "never ends.yaml": paths, "wrong causes.yaml": paths,
		"extends and changes.yaml": paths, "two base states.yaml": "counts no kinds", "no base state.yaml": "counts no kinds",
		"base that draws.yaml": "allows 0 mA as a base state's draw", "never taken.yaml": order,
		"patterns.yaml": "knows no patterns", "wake.yaml": "compares no lengths of lists", "merge.yaml": "sees a file with its merge keys carried out",
	}
	for _, f := range faults(t).Files {
		if !strings.HasSuffix(f.Name, ".yaml") {
			continue
		}
		_, refused := Read(bytes.NewReader(f.Data))
		err := valid(f.Data)
		switch why := passes[f.Name]; {
		case refused == nil && err != nil:
			t.Errorf("%s: the schema refuses what the reader reads: %v", f.Name, err)
		case err == nil && why == "":
			t.Errorf("%s: the schema lets pass what the reader refuses", f.Name)
		case err != nil && why != "" && refused != nil:
			t.Errorf("%s: the schema refuses it, though it %s: %v", f.Name, why, err)
		}
	}
	const file = "../../docs/power-model.schema.json"
	if *update {
		if err := os.WriteFile(file, Schema, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if docs, err := os.ReadFile(file); err != nil && !errors.Is(err, os.ErrNotExist) || !bytes.Equal(docs, Schema) {
		t.Errorf("%s is not the schema; run go test ./energy/model -update (%v)", file, err)
	}
	for name, want := range map[string][]string{"extends": ready, "verb": trace.VerbNames(), "kind": kinds[:]} {
		list, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		if text := strings.ReplaceAll(string(list), ",", ", "); !bytes.Contains(Schema, []byte(`"`+name+`": {"enum": `+text)) {
			t.Errorf("the schema does not list %s: %s", name, text)
		}
	}
}
