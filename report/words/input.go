package words

import (
	"path/filepath"
	"strings"
)

// Name is what people call an input: its file's name without what says the format.
func Name(path string) string {
	name := filepath.Base(path)
	for {
		ext := filepath.Ext(name)
		switch strings.ToLower(ext) {
		case ".gz", ".zst", ".trace", ".folded", ".txt":
			if short := strings.TrimSuffix(name, ext); short != "" {
				name = short
				continue
			}
		}
		return name
	}
}
