package analysis

import (
	"fmt"

	"github.com/diffprof/diffprof/code/manifest"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// readManifests returns the packages that the manifests declare. They are the app's own packages.
func (s *setup) readManifests(known *platform.Platform) ([]string, error) {
	var all manifest.Manifest
	for _, path := range s.options.Manifests {
		m, err := manifest.Read(path)
		if err != nil {
			return nil, err
		}
		all.Join(m)
	}
	own := all.Own(func(pkg string) bool { return known.Library(name.OfClass(pkg+".C", "", "")) != "" })
	if len(own) == 0 && len(s.options.Manifests) > 0 {
		s.warnings = append(s.warnings, trace.Warning{Code: "no-package", Message: fmt.Sprintf(
			"%s names no package of the app: if the namespace is in build.gradle, give that file, too", s.options.Manifests[0])})
	}
	return own, nil
}
