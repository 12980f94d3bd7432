// Package editors tests diffprof lsp in editors. It runs the specs of the Neovim plugin, editors/nvim,
// in a Neovim without a screen. It also starts a client that uses Eclipse LSP4J, the library of the
// plugin LSP4IJ for Android Studio, with the template editors/android-studio. The package has only
// tests.
//
// Without Neovim, its test is skipped. If CI is "true", it fails instead.
package editors
