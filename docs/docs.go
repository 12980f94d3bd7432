// Package docs has the documentation, for programs that show it.
package docs

import "embed"

// Pages are the pages in Markdown.
//
//go:embed *.md formats/*.md
var Pages embed.FS
