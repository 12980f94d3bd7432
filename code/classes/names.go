package classes

import (
	"errors"
	"strings"
)

// maxName is the maximum length of a name in a class file.
const maxName = 1<<16 - 1

var errClassName = errors.New("a class has no valid name")

// binaryName converts a class name with slashes to dots. It fails if the name is empty, an array or
// a descriptor, because these do not name a class.
func binaryName(internal string) (string, error) {
	if internal == "" || len(internal) > maxName || strings.ContainsAny(internal, ".;[") {
		return "", errClassName
	}
	return strings.ReplaceAll(internal, "/", "."), nil
}
