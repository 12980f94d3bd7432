package apk

import (
	"fmt"
	"strings"

	"github.com/diffprof/diffprof/code/manifest"
)

// Manifest reads the archive's manifest.
func (a *Archive) Manifest() (*manifest.Manifest, error) {
	const name = "AndroidManifest.xml"
	e := a.Entry(name)
	if e == nil {
		return nil, fail("", -1, "name the app's APK, not a bundle or a jar", "the archive has no %s", name)
	}
	data, err := a.Read(e)
	if err != nil {
		return nil, err
	}
	m, err := manifest.Parse(data)
	if err != nil {
		return nil, fail(name, e.local, adviceBuild, "%w", err)
	}
	return m, nil
}

// Breaks lists what stops working in a copy of the app, because the copy has another signer. m is
// the app's manifest.
func (a *Archive) Breaks(m *manifest.Manifest) []string {
	app := "the app"
	if len(m.Packages) > 0 {
		app = m.Packages[0]
	}
	all := []string{
		fmt.Sprintf("installing over %s fails: uninstall it first, which deletes its data", app),
		"Play Integrity, licence checks and the app's own checks of its signer fail",
		"sign-in with Google, maps and other services that know the app by its signer refuse it",
		"verified app links are not verified",
	}
	if len(m.Signed) > 0 {
		const shown = 3
		list := strings.Join(m.Signed[:min(len(m.Signed), shown)], ", ")
		if len(m.Signed) > shown {
			list += fmt.Sprintf(" and %d more", len(m.Signed)-shown)
		}
		all = append(all, fmt.Sprintf("other apps of the same signer lose the permissions that this app grants by signature: %s", list))
	}
	if m.SharedUser != "" {
		all = append(all, fmt.Sprintf("the app cannot share the user id %s with apps of the old signer", m.SharedUser))
	}
	if a.Entry(stamp) != nil {
		all = append(all, "the stamp of the store is left out")
	}
	for _, name := range profiles {
		if a.Entry(name) != nil {
			all = append(all, "the baseline profile is left out, because it fits the old code only: the first starts are slower")
			break
		}
	}
	return all
}
