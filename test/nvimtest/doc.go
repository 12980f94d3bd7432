// Package nvimtest tests the Neovim plugin, editors/nvim. It runs the plugin's specs in a Neovim
// without a screen. The plugin starts diffprof lsp, built from this module. The package has only
// tests.
//
// Without Neovim, the test is skipped. If CI is "true", it fails instead.
package nvimtest
