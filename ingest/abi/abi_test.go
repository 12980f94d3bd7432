package abi

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestNumbers compares the numbers with golang.org/x/sys/unix, which is generated from the
// kernel's headers.
func TestNumbers(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/sys").Output()
	if err != nil {
		t.Fatal("go list: ", err)
	}
	define := regexp.MustCompile(`(?m)^\s+SYS_(\w+)\s+= (\d+)`)
	for a, arch := range [abis]string{"arm64", "amd64", "arm", "386"} {
		text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), "unix", "zsysnum_linux_"+arch+".go"))
		if err != nil {
			t.Fatal(err)
		}
		want := make(map[string]int)
		for _, m := range define.FindAllStringSubmatch(string(text), -1) {
			want[strings.ToLower(m[1])], _ = strconv.Atoi(m[2])
		}
		for name, list := range numbers {
			number, ok := want[name]
			if !ok {
				number = -1
			}
			if int(list[a]) != number {
				t.Errorf("%s: %s is %d, want %d", ABI(a), name, list[a], number)
			}
		}
	}
}

// TestVotes checks the ABI that is inferred from a process's calls.
func TestVotes(t *testing.T) {
	for _, c := range []struct {
		machine string
		calls   []int64
		want    ABI
	}{
		{"aarch64", []int64{98, 98, 29, 63, 64, 22}, ARM64},
		{"aarch64", []int64{240, 54, 54, 3, 4, 252}, ARM},
		{"aarch64", nil, ARM64},
		{"x86_64", []int64{202, 16, 0, 1, 3, 232}, AMD64},
		{"x86_64", []int64{240, 54, 3, 4, 6, 256}, I386},
		{"armv8l", []int64{98, 29}, ARM},
		{"", []int64{98, 98, 29, 63, 64, 22}, ARM64},
		{"", []int64{202, 16, 0, 1, 3, 232}, AMD64},
		{"", []int64{240, 54, 3, 4, 6, 252, 322}, ARM},
		{"", []int64{240, 54, 3, 4, 6, 256, 295}, I386},
		{"", []int64{-1, 1 << 40}, Unknown},
	} {
		var v Votes
		for _, n := range c.calls {
			v.Add(n)
		}
		if got := v.Choose(Of(c.machine)); got != c.want {
			t.Errorf("%s %v: %s, want %s", c.machine, c.calls, got, c.want)
		}
	}
}

// TestNames checks the names of ABIs and of a system call that has another number in each ABI.
func TestNames(t *testing.T) {
	for a, want := range map[ABI]string{ARM64: "arm64", AMD64: "x86_64", ARM: "arm", I386: "x86", Unknown: "unknown"} {
		if a.String() != want {
			t.Errorf("ABI %d is %v, want %s", uint8(a), a, want)
		}
	}
	for a, number := range map[ABI]int{ARM64: 63, AMD64: 0, ARM: 3, I386: 3} {
		if names := a.Names(); len(names) <= number || names[number] != "read" {
			t.Errorf("%v has no read with the number %d", a, number)
		}
	}
	if Unknown.Names() != nil {
		t.Error("an unknown ABI has names")
	}
}
