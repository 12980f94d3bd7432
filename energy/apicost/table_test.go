package apicost_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/energy/apicost"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/name"
)

// TestSharedTable reads the table that Orka used, and the list of energy-greedy APIs.
func TestSharedTable(t *testing.T) {
	table := sharedTable(t)
	if len(table.Rows) != 806 || table.Unknown() != 9 || table.Doubled != 0 || len(table.Unreadable) != 0 {
		t.Errorf("%d rows, %d unknown, %d doubled, %d unreadable", len(table.Rows), table.Unknown(), table.Doubled, len(table.Unreadable))
	}
	if o := table.Overloads(); table.Names() != 732 || len(o) != 60 {
		t.Errorf("%d names, %d with overloads", table.Names(), len(o))
	} else if ratio := float64(o[0].Most) / float64(o[0].Least); ratio < 1900 {
		t.Errorf("%s: %s to %s J", o[0].Name, o[0].Least.Joules(), o[0].Most.Joules())
	}
	constructors := 0
	for _, row := range table.Rows {
		label := strings.SplitN(row.Text, "(", 2)[0]
		parts := strings.Split(label, ".")
		if parts[len(parts)-1] == parts[len(parts)-2] || strings.Count(label, parts[len(parts)-1]) > 1 && strings.Contains(label, "."+parts[len(parts)-1]+".") {
			constructors++
		}
	}
	if constructors < 75 || constructors > 90 {
		t.Errorf("%d constructors", constructors)
	}
	file, err := os.Open(filepath.Join(shared, "api-costs/redAPIS.json"))
	if err != nil {
		t.Skip(err)
	}
	defer file.Close()
	list, err := apicost.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	if list.Unknown() != len(list.Rows) || len(list.Rows)+list.Doubled+len(list.Unreadable) != 131 {
		t.Errorf("%d rows, %d unknown, %d doubled, %d unreadable", len(list.Rows), list.Unknown(), list.Doubled, len(list.Unreadable))
	}
	apps, err := os.Open(filepath.Join(shared, "api-costs/lv_apps.csv"))
	if err != nil {
		t.Skip(err)
	}
	defer apps.Close()
	if _, err := apicost.Read(apps); err == nil {
		t.Error("a list of apps is a table of costs")
	}
}

// TestFind finds the rows of methods in each notation, and rows of superclasses.
func TestFind(t *testing.T) {
	known := knownPlatform(t)
	table := readTable(t, `# comments and blank lines are skipped

SIGNATURE,unit,cost
android.widget.TextView.setText(java.lang.CharSequence),mJ,1
"android.widget.TextView.setText(java.lang.CharSequence, android.widget.TextView$BufferType)",mJ,2
android.view.View.setTag(Ljava/lang/Object;)V,mJ,3
android.view.View.invalidate,mJ,4
android.app.AlertDialog.Builder.AlertDialog.Builder(android.content.Context)---,mJ,5
android.app.Dialog.<init>(android.content.Context),mJ,6
android.os.Handler.Handler(),mJ,7
android.content.Intent.putExtra(java.lang.String#byte[])---,mJ,8
android.text.TextUtils.join(java.lang.CharSequence#java.lang.Object...),mJ,9
android.view.View.getTag(),mJ,0
android.view.View.getTag(int),mJ,
android.view.View.post(java.lang.Runnable),µJ,11
`)
	for label, want := range map[string]string{
		"android.widget.TextView.setText(Ljava/lang/CharSequence;)V":                                     "0.001",
		"android.widget.EditText.setText(Ljava/lang/CharSequence;Landroid/widget/TextView$BufferType;)V": "0.002",
		"android.widget.Button.setText(I)V":                                                              "other-overload",
		"android.widget.Button.setTag(Ljava/lang/Object;)V":                                              "0.003",
		"android.widget.Button.setTag(ILjava/lang/Object;)V":                                             "other-overload",
		"android.widget.ProgressBar.invalidate(IIII)V":                                                   "0.004",
		"android.app.AlertDialog$Builder.<init>(Landroid/content/Context;)V":                             "0.005",
		"android.app.AlertDialog.<init>(Landroid/content/Context;)V":                                     "not-listed",
		"android.app.Dialog.<init>(Landroid/content/Context;)V":                                          "0.006",
		"android.os.Handler.<init>()V":                                                                   "0.007",
		"android.content.Intent.putExtra(Ljava/lang/String;[B)Landroid/content/Intent;":                  "0.008",
		"android.text.TextUtils.join(Ljava/lang/CharSequence;[Ljava/lang/Object;)Ljava/lang/String;":     "0.009",
		"android.view.View.getTag()Ljava/lang/Object;":                                                   "no-cost",
		"android.view.View.getTag(I)Ljava/lang/Object;":                                                  "no-cost",
		"android.view.View.setTag":                                                                       "0.003",
		"android.widget.TextView.setText":                                                                "other-overload",
		"android.view.View.post(Ljava/lang/Runnable;)Z":                                                  "0.000011",
		"com.mine.View.post(Ljava/lang/Runnable;)Z":                                                      "not-listed",
	} {
		got := ""
		if row, why := table.Find(name.Parse(label, name.JVM), known.Supertypes); row >= 0 {
			got = table.Rows[row].Cost.Joules()
		} else {
			got = why.String()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", label, got, want)
		}
	}
	if row, _ := table.Find(name.Parse("android.widget.Button.setTag(Ljava/lang/Object;)V", name.JVM), none); row >= 0 {
		t.Error("a cost is inherited without a hierarchy")
	}
}

// TestBadTables reads tables with faults. Each error names its line.
func TestBadTables(t *testing.T) {
	for text, want := range map[string]string{
		"":         "no rows",
		"# only\n": "no rows",
		"android.a.B.c(),1\nandroid.a.B.d(),-0.5\n":    `line 2: table of API costs: the cost "-0.5" is negative`,
		"android.a.B.c(),1\n\nandroid.a.B.c(),2\n":     "line 3: table of API costs: android.a.B.c() has the cost 2 J here and 1 J in line 1",
		"android.a.B.c(),1001\n":                       "line 1: table of API costs: the cost 1001 J of one call is too large",
		"android.a.B.c(),1e300\n":                      "line 1: table of API costs: the cost \"1e300\" is too large",
		"android.a.B.c(),NaN\n":                        "is not a decimal number",
		"android.a.B.c(),0x10\n":                       "is not a decimal number",
		"android.a.B.c(),1,5\nandroid.a.B.d(),zwei\n":  "line 2",
		"android.a.B.c()\n":                            "line 1: table of API costs: \"android.a.B.c()\" has no cost",
		"NAME,ID\n":                                    "line 1: table of API costs: \"NAME\" is not a method",
		"android.a.B.c(int,1\n":                        "line 1",
		"a b.c(),1\n":                                  "is not a method",
		"signature,price\nandroid.a.B.c(),1\n":         "lacks the column",
		"signature,cost,unit\nandroid.a.B.c(),1,kWh\n": `line 2: table of API costs: "kWh" is not a unit of energy`,
		"android.a.B.c(),1\n\"android.a.B.d(),2\n":     "line 2",
		`[{"signature":"android.a.B.c()","cost":-1}]`:  "is negative",
		"[{\"signature\":\"android.a.B.c()\",\"cost\":1},\n{\"signature\":\"x\",\"cost\":1}]": "line 2",
		`[{"signature":"android.a.B.c()","cost":1}`:                                           "unexpected EOF",
		`[1]`: "line 1",
	} {
		_, err := apicost.Read(strings.NewReader(text))
		if fault := (*syntax.Error)(nil); !errors.As(err, &fault) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if table := readTable(t, "android.a.B.c(),1\nandroid.a.B.c(),1.0\n"); table.Doubled != 1 || len(table.Rows) != 1 {
		t.Errorf("%d rows, %d doubled", len(table.Rows), table.Doubled)
	}
}

// TestAmounts compares amounts with big integers.
func TestAmounts(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		cost, calls, more := apicost.Cost(random.Int64N(1<<random.IntN(50)+1)), random.Int64N(1<<random.IntN(20)+1), apicost.Cost(random.Int64N(1e6))
		got := cost.Times(calls).Plus(more.Times(3))
		want := new(big.Int).Mul(big.NewInt(int64(cost)), big.NewInt(calls))
		want.Add(want, big.NewInt(3*int64(more)))
		if exact := joules(want); got.Joules() != exact {
			t.Fatalf("%d·%d+3·%d = %s, want %s", cost, calls, more, got.Joules(), exact)
		}
		nano, rest := new(big.Int).QuoRem(want, big.NewInt(1000), new(big.Int))
		if r := rest.Int64(); r > 500 || r == 500 && nano.Bit(0) == 1 {
			nano.Add(nano, big.NewInt(1))
		}
		if int64(got.Energy()) != nano.Int64() {
			t.Fatalf("%s J is %d nJ", got.Joules(), got.Energy())
		}
		if calls > 0 {
			half := new(big.Int).Add(want, big.NewInt(calls/2))
			if mean := got.Over(calls).Joules(); mean != joules(half.Quo(half, big.NewInt(calls))) {
				t.Fatalf("%s J over %d is %s", got.Joules(), calls, mean)
			}
		}
	}
	if most := apicost.Cost(math.MaxInt64).Times(math.MaxInt64); most.Plus(most).Compare(most) < 0 {
		t.Error("the largest amount overflows")
	}
}

// joules writes picojoules as joules.
func joules(pico *big.Int) string {
	text := new(big.Rat).SetFrac(pico, big.NewInt(1e12)).FloatString(12)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// FuzzRead reads any text as a table. A valid table must have costs within the limits.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{costs, "android.a.B.c(int#long[])---,0.00000000000\n", `[{"fullMethodDefinition":"a.B.c","category":"x"},{"signature":"a.B.d()","cost":1e-3,"unit":"mJ"}]`, "signature,cost\n\"a.B.c(int, long)\",1\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		table, err := apicost.Read(strings.NewReader(text))
		if err != nil {
			if fault := (*syntax.Error)(nil); !errors.As(err, &fault) {
				t.Fatalf("%v has no place", err)
			}
			return
		}
		for _, row := range table.Rows {
			if row.Cost < 0 || row.Cost.Times(1).Energy() < 0 || row.Line < 1 {
				t.Fatalf("row %+v", row)
			}
		}
		table.Overloads()
		table.Find(name.Parse("a.B.c(I)V", name.JVM), none)
	})
}
