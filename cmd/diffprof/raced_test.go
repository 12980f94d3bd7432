//go:build race

package main

// raced says whether the race detector watches the tests.
const raced = true
