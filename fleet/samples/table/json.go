package table

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
)

// sampledObjects is the number of objects that are read to find the columns.
const sampledObjects = 1000

// appLists are names of columns with a list of apps, in small letters.
var appLists = []string{"apps", "pilist", "processes", "app_processes", "appprocesses"}

// openJSON reads objects, one per line. For example, {"battery": {"level": 5}} has the column
// "battery.level". A list of apps becomes Record.Apps.
func openJSON(path string) ([]*Table, error) {
	t := &Table{File: path}
	rows := 0
	errEnough := errors.New("enough")
	err := eachJSON(path, func(row int, o map[string]any) error {
		column := func(name string) {
			if !slices.Contains(t.Columns, name) {
				t.Columns = append(t.Columns, name)
			}
		}
		flatten("", o, func(name, _ string) { column(name) }, func(name string, _ []App) {
			if !isAppList(name) {
				column(name)
			}
		})
		if rows++; rows == sampledObjects {
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	slices.Sort(t.Columns)
	index := map[string]int{}
	for i, name := range t.Columns {
		index[name] = i
	}
	t.each = func(f func(*Record) error) error {
		record := Record{Values: make([]string, len(t.Columns)), Objects: make([][]App, len(t.Columns))}
		return eachJSON(path, func(row int, o map[string]any) error {
			clear(record.Values)
			clear(record.Objects)
			record.Apps, record.Row = record.Apps[:0], row
			var bad error
			check := func(name, value string) {
				if bad == nil {
					bad = checkNUL(path, row, name, value)
				}
			}
			flatten("", o, func(name, value string) {
				if i, ok := index[name]; ok {
					record.Values[i] = value
				}
				check(name, value)
			}, func(name string, apps []App) {
				if isAppList(name) {
					record.Apps = append(record.Apps, apps...)
				} else if i, ok := index[name]; ok {
					record.Objects[i] = apps
				}
				for _, a := range apps {
					check(name, a.Name)
				}
			})
			if bad != nil {
				return bad
			}
			return f(&record)
		})
	}
	return []*Table{t}, nil
}

func eachJSON(path string, f func(row int, o map[string]any) error) error {
	r, err := openText(path)
	if err != nil {
		return err
	}
	defer r.Close()
	g := &guard{r: r}
	b := bufio.NewReaderSize(g, 64<<10)
	for row := 1; ; row++ {
		g.left = maxRow
		line, err := b.ReadBytes('\n')
		atEnd := errors.Is(err, io.EOF)
		if err != nil && !atEnd {
			return fault(path, row, err, "")
		}
		line = bytes.TrimSpace(bytes.TrimPrefix(line, byteOrderMark))
		if len(line) > 0 {
			o := map[string]any{}
			d := json.NewDecoder(bytes.NewReader(line))
			d.UseNumber()
			if err := d.Decode(&o); err != nil {
				return fault(path, row, err, "each line must be one JSON object; the last line may be incomplete")
			}
			if _, err := d.Token(); !errors.Is(err, io.EOF) {
				return fault(path, row, errors.New("more text after the object"), "each line must be one object, like jq -c writes them")
			}
			if err := f(row, o); err != nil {
				return err
			}
		}
		if atEnd {
			return nil
		}
	}
}

// isAppList reports whether the last part of a list's name is in appLists.
func isAppList(name string) bool {
	return slices.Contains(appLists, strings.ToLower(name[strings.LastIndexByte(name, '.')+1:]))
}

// flatten calls the function value for each value of an object, and list for each list. The name of
// a nested value is a path such as "battery.level".
func flatten(prefix string, o map[string]any, value func(name, text string), list func(name string, apps []App)) {
	for _, key := range sortedKeys(o) {
		switch v := o[key].(type) {
		case map[string]any:
			flatten(prefix+key+".", v, value, list)
		case []any:
			var apps []App
			for _, each := range v {
				if a, ok := appOf(each); ok {
					apps = append(apps, a)
				}
			}
			list(prefix+key, apps)
		default:
			if s, ok := text(v); ok {
				value(prefix+key, s)
			}
		}
	}
}

func sortedKeys(o map[string]any) []string {
	keys := make([]string, 0, len(o))
	for k := range o {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// appOf reads an entry of a list of apps. An entry is a name, or an object in the format of Carat
// or GreenHub.
func appOf(v any) (App, bool) {
	switch v := v.(type) {
	case string:
		return App{Name: v}, v != ""
	case map[string]any:
		var a App
		for _, key := range sortedKeys(v) {
			s, ok := text(v[key])
			if !ok {
				continue
			}
			switch strings.ToLower(strings.ReplaceAll(key, "_", "")) {
			case "processname", "name", "pname", "package", "packagename":
				if a.Name == "" || strings.EqualFold(key, "processName") {
					a.Name = s
				}
			case "versionname", "version":
				a.Version = s
			case "versioncode":
				if a.Version == "" {
					a.Version = s
				}
			case "importance", "priority":
				a.Importance = s
			}
		}
		return a, a.Name != ""
	}
	return App{}, false
}

// text returns a value of JSON as text.
func text(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		if v {
			return "1", true
		}
		return "0", true
	}
	return "", false
}
