package samples

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/diffprof/diffprof/fleet/samples/table"
	"github.com/diffprof/diffprof/internal/syntax"
)

// These are the features that the analysis knows by name.
const (
	Screen  = "screen"
	Model   = "model"
	System  = "os"
	Network = "network"
)

// The roles of columns. A column without a role may be a feature.
const (
	isClient  = "client"
	isTime    = "time"
	isLevel   = "level"
	isStep    = "step"
	isState   = "state"
	isTrigger = "trigger"
	isApps    = "apps"
	isVersion = "versions"
	isRate    = "rate"
	isSample  = "sample" // isSample is the number of a sample, which joins tables.
	isApp     = "app"    // isApp is one app, in a table with one row per app.
	isStatus  = "importance"
)

// aliases maps usual column names to roles and features. The keys are in small letters, without
// punctuation. They come from GreenHub's tables, Carat's records, and ordinary words.
var aliases = map[string]string{
	"client": isClient, "clientid": isClient, "uuid": isClient, "deviceid": isClient, "user": isClient, "userid": isClient,
	"time": isTime, "timestamp": isTime, "ts": isTime, "date": isTime,
	"level": isLevel, "batterylevel": isLevel, "battery": isLevel,
	"step": isStep, "granularity": isStep,
	"state": isState, "batterystate": isState, "batterystatus": isState,
	"trigger": isTrigger, "triggeredby": isTrigger,
	"apps": isApps, "appnames": isApps, "appsname": isApps, "processes": isApps, "appsprocessname": isApps,
	"versions": isVersion, "appversions": isVersion, "appsversion": isVersion, "appsversionname": isVersion,
	"rate": isRate, "energyrate": isRate,
	"sampleid": isSample,
	"name":     isApp, "processname": isApp, "appname": isApp, "app": isApp,
	"importance": isStatus, "priority": isStatus,

	"model": Model, "devicemodel": Model, "modelname": Model,
	"os": System, "osversion": System, "systemversion": System,
	"network": Network, "networkstatus": Network,
	"screen": Screen, "screenon": Screen, "androidfieldsscreenon": Screen,
	"networktype": "network type", "mobilenetworktype": "mobile network", "mobiledatastatus": "mobile data",
	"wifistatus": "wifi", "roamingenabled": "roaming",
	"charger": "charger", "health": "battery health", "batteryhealth": "battery health",
	"bluetoothenabled": "bluetooth", "locationenabled": "location", "gps": "location", "gpsenabled": "location", "location": "location",
	"bluetooth": "bluetooth", "wifi": "wifi", "mobiledata": "mobile data", "roaming": "roaming", "nfc": "nfc", "flashlight": "flashlight",
	"powersaver": "power saver", "powersave": "power saver", "batterysaver": "power saver",
	"powersaverenabled": "power saver", "nfcenabled": "nfc", "flashlightenabled": "flashlight",
	"developermode": "developer mode", "isroot": "root", "moving": "moving", "mobility": "moving",
	"manufacturer": "maker",
}

// A Map describes the columns of files with unusual column names. It is read from a YAML file.
type Map struct {
	// Columns maps the name of a column to its meaning: client, time, level, step, state, trigger,
	// apps, versions, rate, sample, app, importance, the name of a feature, or "-" to ignore the
	// column.
	Columns map[string]string `yaml:"columns"`
	// Features lists columns that become features of the same name.
	Features []string `yaml:"features"`
	// Level is "percent" or "fraction". If it is empty, it is guessed from the levels of each
	// client.
	Level string `yaml:"level"`
	// States is the meaning of numbers for battery states: "android", "ios", or "charging" (1 means
	// that the battery charges, and 0 that it does not). If it is empty, it is guessed from the
	// levels of each client.
	States string `yaml:"states"`
	// Daemons lists processes to ignore. The wildcard * matches any text.
	Daemons []string `yaml:"daemons"`
	// Step is the step between levels, in per cent. If it is 0, it is guessed for each client.
	Step float64 `yaml:"step"`
}

// ReadMap reads a map from a file.
func ReadMap(path string) (*Map, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m := &Map{}
	d := yaml.NewDecoder(bytes.NewReader(content))
	d.KnownFields(true)
	if err := d.Decode(m); err != nil && !errors.Is(err, io.EOF) {
		return nil, &syntax.Error{File: path, Offset: -1, Err: errors.New(strings.Join(strings.Fields(err.Error()), " ")), Hint: "its keys are columns, features, level, step, states and daemons"}
	}
	if _, err := m.unit(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if _, err := m.platform(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if !(m.Step >= 0 && m.Step <= 100) {
		return nil, fmt.Errorf("%s: step %v: give per cent from 0 to 100", path, m.Step)
	}
	return m, nil
}

func (m *Map) unit() (levelUnit, error) {
	switch m.Level {
	case "":
		return unitAuto, nil
	case "percent":
		return unitPercent, nil
	case "fraction":
		return unitFraction, nil
	}
	return 0, fmt.Errorf("level %q: write percent or fraction", m.Level)
}

// platform returns the index of the platform of battery states, or -1 if it is not set.
func (m *Map) platform() (int, error) {
	i := slices.Index(platformNames, m.States)
	if i < 0 && m.States != "" {
		return 0, fmt.Errorf("states %q: write %s", m.States, strings.Join(platformNames, ", "))
	}
	return i, nil
}

// plain returns the name of a column in small letters and without punctuation.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// A matchQuality is how well a column's name fits a role. The column with the best match gets the
// role.
type matchQuality int

const (
	noMatch matchQuality = iota
	nested               // nested means that only the last part of a nested name is known, such as "level" in "battery.level".
	known                // known means that the name is known, ignoring case and punctuation.
	mapped               // mapped means that the user's map has the name, ignoring case and punctuation.
	exactly              // exactly means that the user's map has exactly the name.
)

// role returns the meaning of a column: a role, the name of a feature, or "".
func (m *Map) role(column string) (string, matchQuality) {
	if role, ok := m.Columns[column]; ok {
		return named(role), exactly
	}
	if slices.Contains(m.Features, column) {
		return column, exactly
	}
	for _, name := range slices.Sorted(maps.Keys(m.Columns)) {
		if plain(name) == plain(column) {
			return named(m.Columns[name]), mapped
		}
	}
	for _, f := range m.Features {
		if plain(f) == plain(column) {
			return f, mapped
		}
	}
	if role, ok := aliases[plain(column)]; ok {
		return role, known
	}
	// The name of a nested value begins with the names of the enclosing objects.
	if i := strings.LastIndexByte(column, '.'); i >= 0 {
		if role, ok := aliases[plain(column[i+1:])]; ok && !slices.Contains([]string{isApp, isClient, isTime}, role) {
			return role, nested
		}
	}
	return "", noMatch
}

// named returns the role that a user's map states. "-" means that the column is ignored.
func named(role string) string {
	if role == "-" {
		return ""
	}
	return role
}

// single lists the roles that only one column may have.
var single = []string{isClient, isTime, isLevel, isState, isApps, isRate}

// errTwo is the error if two columns fit the same role equally well.
var errTwo = errors.New("several columns may be the same")

// roles returns the role of each column. If several columns fit a role, the best match gets it. If
// two match equally well, it returns an error.
func (m *Map) roles(columns []string) ([]string, error) {
	roles, matches := make([]string, len(columns)), make([]matchQuality, len(columns))
	best := map[string]matchQuality{}
	for i, name := range columns {
		roles[i], matches[i] = m.role(name)
		best[roles[i]] = max(best[roles[i]], matches[i])
	}
	for _, role := range slices.Sorted(maps.Keys(best)) {
		most := best[role]
		var names []string
		for i := range columns {
			if role != "" && roles[i] == role && matches[i] == most {
				names = append(names, columns[i])
			}
		}
		if len(names) > 1 && (sameName(names) || slices.Contains(single, role)) {
			return nil, &syntax.Error{
				Offset: -1, Err: fmt.Errorf("%w: %s may each be the %s", errTwo, someNames(names), role),
				Hint: "--map FILE chooses one by its exact name, and ignores the others with \"-\"",
			}
		}
	}
	for i := range columns {
		if matches[i] < best[roles[i]] {
			roles[i] = ""
		}
	}
	return roles, nil
}

// someNames returns the first few names of columns as a text.
func someNames(names []string) string {
	const few = 3
	text := strings.Join(names[:min(few, len(names))], " and ")
	if more := len(names) - few; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// sameName reports whether names differ only in case and punctuation.
func sameName(names []string) bool {
	return !slices.ContainsFunc(names, func(n string) bool { return plain(n) != plain(names[0]) })
}

// isRole reports whether a column has a role of its own, and so is not a feature.
func isRole(role string) bool {
	return slices.Contains([]string{isClient, isTime, isLevel, isStep, isState, isTrigger, isApps, isVersion, isRate, isSample, isApp, isStatus}, role)
}

// A layout maps the columns of a table to roles and features.
type layout struct {
	roles map[string]int // roles maps a role to its column.
	// features maps each column to the index of its feature, or -1.
	features []int
}

// layoutOf returns the layout of a table from the names of its columns. It appends the table's
// features and its unused columns to the two lists.
func (m *Map) layoutOf(columns []string, features *[]string, unused *[]string) (*layout, error) {
	l := &layout{roles: map[string]int{}}
	roles, err := m.roles(columns)
	if err != nil {
		return nil, err
	}
	skip := func(name string) {
		if name != "" && !slices.Contains(*unused, name) {
			*unused = append(*unused, name)
		}
	}
	for i, name := range columns {
		role := roles[i]
		at := -1
		switch {
		case role == "":
			skip(name)
		case isRole(role):
			if _, taken := l.roles[role]; taken {
				skip(name) // Two columns have the same role. The first one is used.
			} else {
				l.roles[role] = i
			}
		default:
			at = slices.Index(*features, role)
			if at < 0 {
				at = len(*features)
				*features = append(*features, role)
			}
			if slices.Contains(l.features, at) {
				at = -1 // Two columns have the same feature. The first one is used.
				skip(name)
			}
		}
		l.features = append(l.features, at)
	}
	return l, nil
}

// has reports whether a table has a column for each of the roles.
func (l *layout) has(roles ...string) bool {
	for _, r := range roles {
		if _, ok := l.roles[r]; !ok {
			return false
		}
	}
	return true
}

// value returns the text of a role.
func (l *layout) value(values []string, role string) string {
	if i, ok := l.roles[role]; ok && i < len(values) {
		return values[i]
	}
	return ""
}

// list returns the list of a role.
func (l *layout) list(record *table.Record, role string) []string {
	if i, ok := l.roles[role]; ok && i < len(record.Lists) {
		return record.Lists[i]
	}
	return nil
}
