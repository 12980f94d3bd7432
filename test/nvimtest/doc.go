// Package nvimtest tests the Neovim plugin, editors/nvim. A Neovim without a screen runs the specs
// of the plugin. The plugin runs diffprof lsp, built from this module. It has no code of its own.
//
// Without Neovim, the test is skipped. If CI is "true", it fails instead.
package nvimtest
