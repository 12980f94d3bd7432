package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// section is the name of the settings' section in editors.
const section = "diffprof"

// WithJSON returns s with an editor's settings. data is an object of settings, or an object
// that contains it as "diffprof". Relative paths are resolved in folder. If folder is empty,
// they are unchanged.
func (s Settings) WithJSON(data []byte, folder string) (Settings, []Problem) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var decoded any
	if err := d.Decode(&decoded); err != nil {
		return s, []Problem{{Message: fmt.Sprintf("the settings are not JSON: %v", err)}}
	}
	if outer, ok := decoded.(map[string]any); ok {
		if inner, ok := outer[section]; ok {
			decoded = inner
		}
	}
	if decoded == nil {
		return s, nil
	}
	return s.with(jsonValue(decoded, deepest), folder)
}

func jsonValue(decoded any, depth int) value {
	switch x := decoded.(type) {
	case nil:
		return value{}
	case bool:
		return value{kind: boolValue, text: fmt.Sprint(x)}
	case json.Number:
		return value{kind: numberValue, text: x.String()}
	case string:
		return value{kind: textValue, text: x}
	}
	if depth == 0 {
		return value{kind: oddValue}
	}
	switch x := decoded.(type) {
	case []any:
		v := value{kind: listValue}
		for _, item := range x {
			v.items = append(v.items, jsonValue(item, depth-1))
		}
		return v
	case map[string]any:
		v := value{kind: objectValue}
		for _, name := range slices.Sorted(maps.Keys(x)) {
			v.names = append(v.names, value{kind: textValue, text: name})
			v.items = append(v.items, jsonValue(x[name], depth-1))
		}
		return v
	}
	return value{kind: oddValue}
}
