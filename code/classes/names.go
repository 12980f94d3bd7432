package classes

import (
	"errors"
	"strings"
)

// maxName is the length of the longest name in a class file.
const maxName = 1<<16 - 1

var errClassName = errors.New("a class has no valid name")

// binaryName converts a name with slashes to dots. Empty names, arrays and descriptors are errors,
// because they are not names of classes.
func binaryName(internal string) (string, error) {
	if internal == "" || len(internal) > maxName || strings.ContainsAny(internal, ".;[") {
		return "", errClassName
	}
	return strings.ReplaceAll(internal, "/", "."), nil
}
