// Package nvimtest tests the Neovim plugin, editors/nvim: a headless Neovim runs the plugin's
// specs, and the plugin runs diffprof lsp, built from this module. It has no code of its own.
//
// Without Neovim the test is skipped, or fails if CI is "true".
package nvimtest
