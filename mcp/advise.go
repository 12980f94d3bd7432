package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/diffprof/diffprof/internal/nearest"
)

// arguments lists the names of the arguments that a tool takes, in their order. t is a structure.
func arguments(t reflect.Type) []string {
	var all []string
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			all = append(all, arguments(f.Type)...)
			continue
		}
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		all = append(all, tag)
	}
	return all
}

// advise answers calls of unknown tools and calls with wrong arguments. The answer suggests the next
// step. The library would only quote a schema.
func (s *Server) advise(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		call, ok := req.(*sdk.CallToolRequest)
		if !ok {
			return next(ctx, method, req)
		}
		takes, known := s.tools[call.Params.Name]
		if !known {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: s.unknown(call.Params.Name)}
		}
		if err := misnamed(call.Params.Name, takes, call.Params.Arguments); err != nil {
			refused := &sdk.CallToolResult{}
			refused.SetError(err)
			return refused, nil
		}
		result, err := next(ctx, method, req)
		if made, ok := result.(*sdk.CallToolResult); ok && err == nil && made.IsError {
			if why, invalid := schemaError(made); invalid {
				made = &sdk.CallToolResult{}
				made.SetError(errors.New(argumentsError(call.Params.Name, clean(why))))
				return made, nil
			}
		}
		return result, err
	}
}

// The most common validation errors of the library.
var (
	wrongKind        = regexp.MustCompile(`^(\w+): type: .* has type "(\w+)", want (?:one of )?"([^"]+)"$`)
	validationErrors = regexp.MustCompile(`^required: missing properties: \[([^\]]+)\]$`)
)

// argumentsError returns the message for arguments that do not fit a tool's schema. why is the
// library's error.
func argumentsError(tool, why string) string {
	if m := validationErrors.FindStringSubmatch(why); m != nil {
		return fmt.Sprintf("%s needs the argument %s", tool, m[1])
	}
	if m := wrongKind.FindStringSubmatch(why); m != nil {
		want := strings.TrimPrefix(m[3], "null, ")
		if want == "array" && m[2] == "string" {
			want = `a list, such as ["new.trace"]`
		}
		return fmt.Sprintf("%s: %s must be %s, not a value of type %s", tool, m[1], want, m[2])
	}
	return fmt.Sprintf("%s: %s; the tool's schema lists the types of its arguments", tool, why)
}

// unknown returns the message for an unknown tool.
func (s *Server) unknown(name string) string {
	if name == "record" || name == "baseline" {
		return fmt.Sprintf("the tool %s writes files: the user has to start diffprof mcp with --allow-write", name)
	}
	return fmt.Sprintf("unknown tool %q: use %s", clean(name), strings.Join(slices.Sorted(maps.Keys(s.tools)), ", "))
}

// misnamed returns an error if arguments are unknown to the tool, or nil.
func misnamed(tool string, takes []string, raw json.RawMessage) error {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var given map[string]json.RawMessage
	if json.Unmarshal(raw, &given) != nil {
		return errors.New(tool + ": arguments must be an object")
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if slices.Contains(takes, name) {
			continue
		}
		hint := ""
		if near := nearest.Name(name, takes); near != "" {
			hint = fmt.Sprintf(", did you mean %s?", near)
		}
		return fmt.Errorf("%s takes no argument %q%s; it takes %s", tool, clean(name), hint, strings.Join(takes, ", "))
	}
	return nil
}

// schemaError returns the reason why the library refused the arguments of a call.
func schemaError(r *sdk.CallToolResult) (why string, ok bool) {
	if len(r.Content) == 0 {
		return "", false
	}
	text, isText := r.Content[0].(*sdk.TextContent)
	if !isText || !strings.HasPrefix(text.Text, "validating ") {
		return "", false
	}
	why = strings.TrimPrefix(text.Text, `validating "arguments": `)
	for _, mark := range []string{"validating root: ", "validating /properties/"} {
		why = strings.TrimPrefix(why, mark)
	}
	return why, true
}
