package fleet_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/diffprof/diffprof/fleet"
	"github.com/diffprof/diffprof/fleet/samples"
)

// TestFileHasNoRareNames reads the file of a fleet. It must have no app, version, network, carrier
// or other value that fewer than five clients have, no model that fewer than twenty clients have,
// and no name of a client. It must have the names that enough clients have.
func TestFileHasNoRareNames(t *testing.T) {
	for _, method := range []fleet.Method{fleet.Within, fleet.Paper} {
		names := samples.NewNames()
		mine, other, rare := names.ID("com.mine"), names.ID("com.other"), names.ID("com.secret.app")
		features := []string{"carrier", samples.Model, samples.Network, samples.Screen, samples.System}
		var clients []*samples.Client
		for i := range 60 {
			c := samples.NewClient(samples.HashClient([]byte("key"), fmt.Sprintf("secret-client-%d", i)), len(features))
			carrier, model, network, system, version := "common carrier", "common model", "wifi", "14", "1.0"
			if i < 4 {
				carrier, network, system, version = "secret-carrier", "secret-network", "secret-system", "secret-version"
			}
			if i < 19 {
				model = "secret-model"
			}
			at := int64(1_750_000_000_000)
			for n := range 90 {
				s := samples.Sample{
					Time: at, Level: int32(100-n) * samples.Percent, Trigger: samples.LevelChanged, Apps: []uint32{other}, Versions: []uint32{0},
					Features: []uint32{names.ID(carrier), names.ID(model), names.ID(network), names.ID("off"), names.ID(system)},
				}
				if i < 4 && n%3 == 0 {
					s.Apps, s.Versions = append(s.Apps, rare), append(s.Versions, names.ID("secret-of-rare"))
				}
				pause := int64(1200 + (n*7+i*3)%50)
				if n%8 < 4 || n == 89 {
					s.Apps, s.Versions, pause = append(s.Apps, mine), append(s.Versions, names.ID(version)), int64(600+(n*5+i*3)%40)
				}
				c.Add(&s)
				at += pause * 1000
			}
			clients = append(clients, c)
		}
		o := fleet.Defaults()
		o.Method = method
		f, err := fleet.Analyze(context.Background(), samples.InMemory(names, features, clients, 3), o, nil)
		if err != nil {
			t.Fatal(err)
		}
		var written bytes.Buffer
		if err := f.Write(&written); err != nil {
			t.Fatal(err)
		}
		z, err := zstd.NewReader(&written)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		text, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if strings.Contains(line, "secret") {
				t.Errorf("method %s: the file has %q", method, line)
			}
		}
		for _, name := range []string{"com.mine", "common model", "wifi", "1.0", "common carrier"} {
			if !strings.Contains(string(text), name) {
				t.Errorf("method %s: the file lacks %s", method, name)
			}
		}
		if f.Hidden() != 1 {
			t.Errorf("method %s: %d apps are hidden", method, f.Hidden())
		}
	}
}
