package batterystats

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/units"
)

// A Usage is Android's own estimate of the charge that apps and components used. It is in the
// section "Estimated power use" of a dump. Android computes it from the phone's power profile. All
// charges are rounded to a nanoampere-hour. Computed is Android's own total. It differs from the
// sum of the rows, because the rows are rounded.
type Usage struct {
	Capacity, Computed units.Charge
	// ActualLeast and ActualMost bound the charge that the battery really lost, as the battery
	// reports it.
	ActualLeast, ActualMost units.Charge
	// Components divide the estimate by component. They are sorted by charge.
	Components []Component
	// Users divide the estimate by uid, sorted by charge. Rows of the dump for a component, such as
	// the screen, are only in Components.
	Users []User
	// Unaccounted is the difference if the battery lost more than the estimate. Overcounted is the
	// difference if it lost less. Neither is part of Computed.
	Unaccounted, Overcounted units.Charge
	// Sections is the number of estimates in the dump. Only the first one is used. Differ is set if
	// another one has other charges.
	Sections int
	Differ   bool
	// Emulator is set if the kernel of an emulator made the dump.
	Emulator bool
	// Odd counts lines of the section that could not be read.
	Odd int
}

// A Component is the charge that one component used, such as "cpu". Apps is the part of Charge that
// Android attributes to apps. It is -1 if the dump does not state it.
type Component struct {
	Name         string
	Charge, Apps units.Charge
}

// A User is the charge of one uid. A uid is an app or a part of the system.
type User struct {
	// UID is the user id as Android writes it, such as "u0a122" or "1000". Package is one of the
	// app's packages, if the dump names one. It is empty for a uid of the system, which has many
	// packages.
	UID, Package string
	Charge       units.Charge
	// Smeared is the charge including the app's share of the screen and of the system. It is 0 if
	// the dump does not state it. Android 8 to 11 do.
	Smeared units.Charge
	// Components is empty if the dump does not divide the charge by component.
	Components []Component
}

// section is the heading of an estimate.
const section = "Estimated power use (mAh):"

// names maps words in dumps to the names of components. Other words are component names already.
var names = map[string]string{
	"radio": "cellular", "mobile_radio": "cellular", "cell standby": "cellular", "cell": "cellular", "phone": "cellular", "phone calls": "cellular",
	"bt": "bluetooth", "blue": "bluetooth", "gnss": "gps", "sensor": "sensors", "wake": "wakelock", "scrn": "screen", "ambi": "ambient display",
	"ambient_display": "ambient display", "unacc": "unaccounted", "over": "overcounted", "over-counted": "overcounted",
}

// componentName returns the name of a component.
func componentName(word string) string {
	word = strings.ToLower(strings.TrimSpace(word))
	return cmp.Or(names[word], word)
}

// ReadUsage reads the section "Estimated power use" in the output of dumpsys batterystats, with or
// without --checkin, of Android 5 and later. A dump without this section is an error.
func ReadUsage(ctx context.Context, r io.Reader) (*Usage, error) {
	u := &usageReader{packages: make(map[string]string)}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	number := 0
	for lines.Scan() {
		number++
		if number%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err := u.line(lines.Text()); err != nil {
			return nil, &syntax.Error{Format: formatName, Line: number, Offset: -1, Err: err}
		}
	}
	if err := lines.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			err = &syntax.Error{Format: formatName, Line: number + 1, Offset: -1, Err: fmt.Errorf("the line is longer than %d bytes", maxLine)}
		}
		return nil, err
	}
	return u.finish()
}

// A usageReader reads sections.
type usageReader struct {
	// now is the section that is being read, or nil between sections.
	now      *parsed
	sections []*parsed
	checkin  map[string]*parsed // by the statistics' period: l, u or c
	packages map[string]string  // by uid
	emulator bool
}

// parsed is a section that is being read.
type parsed struct {
	Usage
	// global is set if the section has a table of components (Global). inGlobal is set within the
	// table.
	global, inGlobal bool
	// aside is the indent of a heading such as "(on battery, screen on)". Lines below it with a
	// larger indent are skipped, because they divide the same charge again.
	aside int
	sum   map[string]units.Charge
	// last is the index in Users of the user whose components may be on the next line, or -1.
	last int
}

// line reads a line.
func (u *usageReader) line(line string) error {
	text := strings.TrimSpace(line)
	switch {
	case strings.HasPrefix(text, section):
		u.now = &parsed{aside: -1, last: -1, sum: make(map[string]units.Charge)}
		u.sections = append(u.sections, u.now)
		return nil
	case u.now != nil && text == "":
		u.now = nil
	case u.now != nil:
		indent := len(line) - len(strings.TrimLeft(line, " "))
		return u.now.line(text, indent)
	case strings.HasPrefix(text, "Kernel Wake lock ") && (strings.Contains(text, "emulator") || strings.Contains(text, "goldfish") || strings.Contains(text, "ranchu")):
		u.emulator = true
	case strings.Count(text, ",") >= 4 && strings.HasPrefix(text, "9,"):
		return u.checked(strings.Split(text, ","))
	}
	u.name(text)
	return nil
}

// name records the package of a uid from a line of the history, such as top=u0a32:"com.mine".
func (u *usageReader) name(text string) {
	for _, key := range []string{"top=", "fg=", "proc="} {
		_, rest, ok := strings.Cut(text, key)
		if !ok {
			continue
		}
		uid, rest, ok := strings.Cut(rest, `:"`)
		name, _, closed := strings.Cut(rest, `"`)
		if ok && closed && uid != "" && !strings.ContainsAny(uid, " =") && u.packages[uid] == "" {
			u.packages[uid], _, _ = strings.Cut(name, ":")
		}
	}
}

// line reads a line of a section.
func (p *parsed) line(text string, indent int) error {
	if p.aside >= 0 && indent > p.aside {
		return nil
	}
	p.aside = -1
	if strings.HasPrefix(text, "(") {
		p.aside = indent
		return nil
	}
	if strings.HasPrefix(text, "Capacity:") {
		return p.head(text)
	}
	if text == "Global" {
		p.global, p.inGlobal = true, true
		return nil
	}
	if p.last >= 0 && isDivided(text) {
		// Only the first such line is used. Later lines divide the same charge by the state of the
		// screen.
		if user := &p.Users[p.last]; len(user.Components) == 0 {
			user.Components = divided(text)
		}
		return nil
	}
	label, rest, ok := strings.Cut(text, ":")
	if !ok {
		p.Odd++
		return nil
	}
	rest = strings.TrimSpace(rest)
	word, rest, _ := strings.Cut(rest, " ")
	charge, err := milliamperes(word)
	if err != nil {
		p.Odd++
		return nil
	}
	if uid, ok := cutFold(label, "uid "); ok {
		p.inGlobal, p.last = false, len(p.Users)
		user := User{UID: uid, Charge: charge}
		own, smeared, _ := strings.Cut(rest, "Including smearing:")
		if _, list, ok := strings.Cut(own, "( "); ok && isDivided(list) {
			user.Components = divided(list)
		}
		if word, _, _ := strings.Cut(strings.TrimSpace(smeared), " "); word != "" {
			if user.Smeared, err = milliamperes(word); err != nil {
				p.Odd++
			}
		}
		p.Users = append(p.Users, user)
		return nil
	}
	p.component(label, charge, rest)
	return nil
}

// head reads the line with the capacity, the computed and the actual drain.
func (p *parsed) head(text string) error {
	for part := range strings.SplitSeq(text, ", ") {
		label, figure, _ := strings.Cut(part, ": ")
		least, most, ranged := strings.Cut(figure, "-")
		if !ranged {
			most = least
		}
		from, err := milliamperes(least)
		to, wrong := milliamperes(most)
		if err != nil || wrong != nil {
			return fmt.Errorf("%q is not a charge in mAh", part)
		}
		switch strings.ToLower(label) {
		case "capacity":
			p.Capacity = from
		case "computed drain":
			p.Computed = from
		case "actual drain":
			p.ActualLeast, p.ActualMost = from, to
		}
	}
	return nil
}

// component adds a row of a component.
func (p *parsed) component(label string, charge units.Charge, rest string) {
	name := componentName(label)
	switch {
	case name == "unaccounted":
		p.Unaccounted += charge
	case name == "overcounted":
		p.Overcounted += charge
	case p.inGlobal:
		if strings.Contains(label, "(") {
			return // The row divides the row above it by process state.
		}
		c := Component{Name: name, Charge: charge, Apps: -1}
		if _, apps, ok := strings.Cut(rest, "apps: "); ok {
			word, _, _ := strings.Cut(apps, " ")
			if n, err := milliamperes(word); err == nil {
				c.Apps = n
			}
		}
		p.Components = append(p.Components, c)
	default:
		p.last = -1
		own, _, _ := strings.Cut(rest, "Including smearing:")
		parts := []Component(nil)
		if _, list, ok := strings.Cut(own, "( "); ok && isDivided(list) {
			parts = divided(list)
		}
		if len(parts) == 0 {
			parts = []Component{{Name: name, Charge: charge}}
		}
		for _, c := range parts {
			p.sum[c.Name] += c.Charge
		}
	}
}

// isDivided reports whether a text begins with a component and its charge: "cpu=0.383".
func isDivided(text string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	name, figure, ok := strings.Cut(word, "=")
	_, err := milliamperes(figure)
	return ok && name != "" && err == nil
}

// divided parses components with their charges, such as "cpu=0.383 (1m 2s) cpu:fg=0.2 wifi=0.1 )".
// It skips parts of a component, such as cpu:fg. The component's charge includes them.
func divided(text string) []Component {
	var list []Component
	for word := range strings.FieldsSeq(text) {
		name, figure, ok := strings.Cut(word, "=")
		charge, err := milliamperes(figure)
		if !ok || err != nil || strings.Contains(name, ":") {
			continue
		}
		list = add(list, componentName(name), charge)
	}
	return list
}

// add adds a charge to the component called name.
func add(list []Component, name string, charge units.Charge) []Component {
	for i := range list {
		if list[i].Name == name {
			list[i].Charge += charge
			return list
		}
	}
	return append(list, Component{Name: name, Charge: charge, Apps: -1})
}

// checked reads a line of the checkin form, such as 9,10122,l,pwi,uid,1.24,….
func (u *usageReader) checked(words []string) error {
	if words[2] == "i" && words[3] == "uid" && len(words) > 5 {
		if uid := userOf(words[4]); u.packages[uid] == "" {
			u.packages[uid] = words[5]
		}
		return nil
	}
	if words[3] != "pwi" && words[3] != "pws" {
		return nil
	}
	if u.checkin == nil {
		u.checkin = make(map[string]*parsed)
	}
	p := u.checkin[words[2]]
	if p == nil {
		p = &parsed{sum: make(map[string]units.Charge)}
		u.checkin[words[2]] = p
	}
	var charges []units.Charge
	for _, w := range words[4:] {
		if c, err := milliamperes(w); err == nil {
			charges = append(charges, c)
		} else if len(charges) > 0 || words[3] == "pws" {
			return fmt.Errorf("%q is not a charge in mAh", w)
		}
	}
	switch {
	case words[3] == "pws" && len(charges) >= 4:
		p.Capacity, p.Computed, p.ActualLeast, p.ActualMost = charges[0], charges[1], charges[2], charges[3]
	case words[3] == "pwi" && len(words) > 5 && len(charges) > 0 && words[4] == "uid":
		user := User{UID: userOf(words[1]), Charge: charges[0]}
		if len(charges) > 3 && charges[3] > 0 {
			user.Smeared = charges[0] + charges[2] + charges[3]
		}
		p.Users = append(p.Users, user)
	case words[3] == "pwi" && len(words) > 5 && len(charges) > 0:
		p.component(words[4], charges[0], "")
	default:
		p.Odd++
	}
	return nil
}

// userOf converts a numeric uid to Android's form. For example, 10122 is u0a122.
func userOf(number string) string {
	const user, first, last = 100_000, 10_000, 19_999
	n, err := strconv.Atoi(number)
	if app := n % user; err == nil && n >= 0 && app >= first && app <= last {
		return fmt.Sprintf("u%da%d", n/user, app-first)
	}
	return number
}

// cutFold cuts a prefix, ignoring case.
func cutFold(text, prefix string) (rest string, ok bool) {
	if len(text) < len(prefix) || !strings.EqualFold(text[:len(prefix)], prefix) {
		return "", false
	}
	return strings.TrimSpace(text[len(prefix):]), true
}

// milliamperes parses a charge in mAh.
func milliamperes(text string) (units.Charge, error) {
	const most = 1e6 // far above any battery
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(x) || x < 0 || x > most {
		return 0, errors.New("no charge")
	}
	return units.Charge(math.Round(x * float64(units.MilliampereHour))), nil
}

// finish returns the first section, or an error if there is none.
func (u *usageReader) finish() (*Usage, error) {
	for _, period := range []string{"l", "u", "c"} {
		if p := u.checkin[period]; p != nil {
			u.sections = append(u.sections, p)
			break
		}
	}
	var all []*Usage
	for _, p := range u.sections {
		if len(p.Users) > 0 || len(p.Components) > 0 || len(p.sum) > 0 || p.Capacity > 0 {
			all = append(all, p.whole(u.packages))
		}
	}
	if len(all) == 0 {
		return nil, &syntax.Error{Format: formatName, Offset: -1, Err: errors.New(`the text has no section "Estimated power use"`),
			Hint: "adb shell dumpsys batterystats writes it"}
	}
	first := all[0]
	first.Sections, first.Emulator = len(all), u.emulator
	for _, other := range all[1:] {
		first.Differ = first.Differ || other.Computed != first.Computed || !slices.EqualFunc(other.Users, first.Users, func(a, b User) bool { return a.UID == b.UID && a.Charge == b.Charge })
	}
	return first, nil
}

// whole completes and sorts the Usage of a section.
func (p *parsed) whole(packages map[string]string) *Usage {
	v := &p.Usage
	if !p.global {
		for i := range v.Users {
			user := &v.Users[i]
			for _, c := range user.Components {
				p.sum[c.Name] += c.Charge
			}
			if len(user.Components) == 0 {
				p.sum["apps, undivided"] += user.Charge
			}
		}
		for name, charge := range p.sum {
			v.Components = append(v.Components, Component{Name: name, Charge: charge, Apps: -1})
		}
	}
	for i := range v.Users {
		user := &v.Users[i]
		if strings.HasPrefix(user.UID, "u") {
			user.Package = packages[user.UID]
		}
		sortComponents(user.Components)
	}
	sortComponents(v.Components)
	slices.SortStableFunc(v.Users, func(a, b User) int { return cmp.Or(cmp.Compare(b.Charge, a.Charge), cmp.Compare(a.UID, b.UID)) })
	return v
}

// sortComponents sorts components by charge.
func sortComponents(list []Component) {
	slices.SortFunc(list, func(a, b Component) int { return cmp.Or(cmp.Compare(b.Charge, a.Charge), cmp.Compare(a.Name, b.Name)) })
}
