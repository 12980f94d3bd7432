package settings

import (
	"path/filepath"
	"testing"

	"github.com/diffprof/diffprof/energy/model"
)

// TestPowerModelPath checks that the name of a ready model does not change. Any other text is a
// file, relative to the folder of the project file.
func TestPowerModelPath(t *testing.T) {
	folder := t.TempDir()
	want := map[string]string{"models/phone.yaml": filepath.Join(folder, "models", "phone.yaml"), filepath.Join(folder, "x.yaml"): filepath.Join(folder, "x.yaml")}
	for _, name := range model.ReadyNames() {
		want[name] = name
	}
	for written, want := range want {
		s, problems := Default().WithYAML([]byte("powerModel: "+written+"\n"), folder)
		if len(problems) > 0 || s.PowerModel != want {
			t.Errorf("%s is %s, want %s: %v", written, s.PowerModel, want, problems)
		}
	}
}
