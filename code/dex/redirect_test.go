package dex

import (
	"cmp"
	"slices"
	"testing"
	"unicode/utf16"
)

// TestRedirect converts all targets of a body. A handler without a catch-all, an instruction without
// a target, and a debug position at the end stay.
func TestRedirect(t *testing.T) {
	b := &Body{
		Code: []BodyInstruction{
			{Instruction: Instruction{Op: OpGoto, Target: 3}},
			{Instruction: Instruction{Op: 0x12, Target: 7}},
			{Instruction: Instruction{Op: 0x32, Target: 1}},
			{Instruction: Instruction{Op: 0x2b}, Targets: []int{1, 2}},
		},
		Handlers: []Handler{{Catches: []Catch{{Address: 4}, {Address: 5}}, All: -1}, {All: 0}, {All: 6}},
		debug:    &debugTable{events: []debugEvent{{address: 1}, {address: 9}, {address: 20}}},
		end:      20,
	}
	b.Redirect(func(i int) int { return i + 100 })
	got := []int{b.Code[0].Target, b.Code[1].Target, b.Code[2].Target, b.Code[3].Targets[0], b.Code[3].Targets[1]}
	for _, h := range b.Handlers {
		for _, c := range h.Catches {
			got = append(got, c.Address)
		}
		got = append(got, h.All)
	}
	for _, e := range b.debug.events {
		got = append(got, e.address)
	}
	if want := []int{103, 7, 101, 101, 102, 104, 105, -1, 100, 106, 101, 109, 20}; !slices.Equal(got, want) {
		t.Errorf("the targets are %v, want %v", got, want)
	}
}

// TestClassName converts descriptors of classes and of other types.
func TestClassName(t *testing.T) {
	for descriptor, want := range map[string]string{
		"Lcom/mine/Main;": "com.mine.Main", "LA;": "A", "L;": "L;", "[Lcom/mine/Main;": "[Lcom.mine.Main;", "I": "I", "": "", "Lcom/mine/Main": "Lcom.mine.Main", "Xcom/mine;": "Xcom.mine;", mutf8("Lé/𝒞;"): "é.𝒞",
		"La\x80/B;": "a\x80.B",
	} {
		if got := ClassName(descriptor); got != want {
			t.Errorf("%q is %q, want %q", descriptor, got, want)
		}
	}
}

// TestCompareText compares the order of encoded strings with the order of their UTF-16 units.
func TestCompareText(t *testing.T) {
	texts := []string{"", "a", "ab", "b", "\x00", "a\x00", "a\x00b", "é", "ÿ", "日本", "𝒞", "\uFFFD", "a𝒞", "z"}
	for _, a := range texts {
		for _, b := range texts {
			want := slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
			if got := cmp.Compare(compareText(mutf8(a), mutf8(b)), 0); got != want {
				t.Errorf("%q and %q: %d, want %d", a, b, got, want)
			}
		}
	}
}

// TestMerge sorts new items into tables with used and unused items.
func TestMerge(t *testing.T) {
	for _, c := range []struct {
		items string // a digit for each item; the last ones are new
		added int
		used  []bool
		order string
	}{
		{"135", 0, nil, "135"}, {"13524", 2, nil, "12345"}, {"13542", 2, nil, "12345"}, {"1350", 1, nil, "0135"}, {"1359", 1, nil, "1359"}, {"21", 2, nil, "12"}, {"", 0, nil, ""},
		{"1354", 1, []bool{true, false, true}, "145"}, {"1354", 1, []bool{false, false, false}, "4"}, {"1534", 1, []bool{true, false, true}, "134"},
	} {
		compare := func(a, b int) int { return cmp.Compare(c.items[a], c.items[b]) }
		order, index, err := merge(len(c.items)-c.added, c.added, c.used, compare)
		got := ""
		for place, i := range order {
			got += c.items[i : i+1]
			if index[i] != uint32(place) {
				t.Errorf("%+v: item %d is at %d, want %d", c, i, index[i], place)
			}
		}
		for i, used := range c.used {
			if !used && index[i] != NoIndex {
				t.Errorf("%+v: the unused item %d is at %d", c, i, index[i])
			}
		}
		if err != nil || got != c.order {
			t.Errorf("%+v: %s, %v", c, got, err)
		}
	}
	for _, items := range []string{"21", "11"} {
		if _, _, err := merge(2, 0, nil, func(a, b int) int { return cmp.Compare(items[a], items[b]) }); err == nil {
			t.Errorf("%s is in order", items)
		}
	}
}
