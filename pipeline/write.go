package pipeline

import (
	"bytes"
	_ "embed" // The templates are files.
	"fmt"
	"text/template"
)

var (
	//go:embed github.yml.tmpl
	gitHubTemplate string
	//go:embed gitlab.yml.tmpl
	gitLabTemplate string
)

// Write returns the pipeline's file.
func (p *Plan) Write() ([]byte, error) {
	file := gitHubTemplate
	if p.Service == GitLab {
		file = gitLabTemplate
	}
	// Neither service uses these delimiters.
	t, err := template.New(p.File()).Delims("<%", "%>").Parse(file)
	if err != nil {
		return nil, fmt.Errorf("writing the pipeline: %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, p); err != nil {
		return nil, fmt.Errorf("writing the pipeline: %w", err)
	}
	return b.Bytes(), nil
}
