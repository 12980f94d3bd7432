package mcp

import (
	"bytes"
	"context"
	"io/fs"
	"path"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/render"
)

// Addresses of the resources.
const (
	scheme    = "diffprof://"
	reportURI = scheme + "report"
	flaskURI  = scheme + "flask/"
	docsURI   = scheme + "docs/"
)

// flaskRowsShown limits the rows of a flask resource.
const flaskRowsShown = 60

// addResources adds the resources: the report, the call trees of a task, and the documentation.
func (s *Server) addResources() {
	const markdown = "text/markdown"
	s.sdk.AddResource(&sdk.Resource{
		URI: reportURI, Name: "report", Title: "Report of the comparison", MIMEType: markdown,
		Description: "The comparison of the pair of diffprof.yaml, as a comment on a pull request shows it.",
	}, s.resource(markdown, func(ctx context.Context, _ string) (string, error) {
		c, err := s.compared(ctx, pairArgs{})
		if err != nil {
			return "", err
		}
		renderer, _ := render.Find(report.Comparison, "markdown")
		var out bytes.Buffer
		err = renderer.Render(&out, report.NewComparison(c.set, report.New(c.set, s.o.Version, renderer.Top)), report.Options{Unit: c.settings.Unit, Voltage: c.set.Result.Voltage})
		return out.String(), err
	}))
	s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: flaskURI + "{id}", Name: "flask", Title: "Call trees of a task", MIMEType: "text/plain",
		Description: "The call trees of a task in both runs, next to each other. id is the id of a row.",
	}, s.resource("text/plain", s.flask))
	if s.o.Docs == nil {
		return
	}
	for _, page := range pages(s.o.Docs) {
		s.sdk.AddResource(&sdk.Resource{URI: docsURI + strings.TrimSuffix(page, ".md"), Name: page, Title: title(s.o.Docs, page), MIMEType: markdown},
			s.resource(markdown, func(context.Context, string) (string, error) {
				text, err := fs.ReadFile(s.o.Docs, page)
				return string(text), err
			}))
	}
}

// resource returns a handler that reads a text.
func (s *Server) resource(mime string, read func(ctx context.Context, uri string) (string, error)) sdk.ResourceHandler {
	return func(ctx context.Context, req *sdk.ReadResourceRequest) (result *sdk.ReadResourceResult, err error) {
		err = guard("reading a resource", func() error {
			text, err := read(ctx, req.Params.URI)
			if err != nil {
				return err
			}
			result = &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: req.Params.URI, MIMEType: mime, Text: text}}}
			return nil
		})
		return result, err
	}
}

// flask renders the call trees of the task in an address.
func (s *Server) flask(ctx context.Context, uri string) (string, error) {
	c, err := s.compared(ctx, pairArgs{})
	if err != nil {
		return "", err
	}
	task, ok := c.set.ByID(strings.TrimPrefix(uri, flaskURI))
	if !ok {
		return "", sdk.ResourceNotFoundError(uri)
	}
	made := report.NewFlasks(c.set, s.o.Version, task, pruned(c.set.Result, task, flaskRowsShown))
	renderer, _ := render.Find(report.OneTask, "text")
	var out bytes.Buffer
	err = renderer.Render(&out, made, report.Options{Unit: c.settings.Unit, Voltage: c.set.Result.Voltage})
	return out.String(), err
}

// pages lists the Markdown files of the documentation.
func pages(docs fs.FS) []string {
	var all []string
	// An embedded file system returns no errors.
	_ = fs.WalkDir(docs, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && path.Ext(name) == ".md" {
			all = append(all, name)
		}
		return nil
	})
	return all
}

// title returns the first heading of a page.
func title(docs fs.FS, page string) string {
	text, err := fs.ReadFile(docs, page)
	if err != nil {
		return page
	}
	for line := range strings.Lines(string(text)) {
		if heading, ok := strings.CutPrefix(line, "# "); ok {
			return strings.TrimSpace(heading)
		}
	}
	return page
}
