package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"net/url"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/diffprof/diffprof/report"
)

// A client talks to the language server over standard input and output.
type client struct {
	in    *bufio.Reader
	out   io.WriteCloser
	calls int
	// compared has the parameters of the last diffprof/didCompare.
	compared *compared
}

// compared is the server's summary of a comparison.
type compared struct {
	Error                  string
	Sentences              []string
	Verdict                string
	Tasks, Findings        int
	EnergyNJ               int64
	SavingNJ, SavingMostNJ int64
	LittleInCommon         bool
}

// A message is a message of JSON-RPC.
type message struct {
	ID     *json.RawMessage `json:"id"`
	Method string           `json:"method"`
	Params json.RawMessage  `json:"params"`
	Result json.RawMessage  `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

func (c *client) send(method string, id any, params any) error {
	m := map[string]any{"jsonrpc": "2.0", "method": method, "params": params}
	if id != nil {
		m["id"] = id
	}
	return c.write(m)
}

func (c *client) write(m any) error {
	data, err := json.Marshal(m)
	if err == nil {
		_, err = fmt.Fprintf(c.out, "Content-Length: %d\r\n\r\n%s", len(data), data)
	}
	return err
}

// next reads a message. It answers requests of the server with null and reads on.
func (c *client) next() (m message, err error) {
	header, err := textproto.NewReader(c.in).ReadMIMEHeader()
	if err != nil {
		return m, err
	}
	size, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil {
		return m, err
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(c.in, data); err != nil {
		return m, err
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, err
	}
	switch {
	case m.Method == "diffprof/didCompare":
		c.compared = new(compared)
		return m, json.Unmarshal(m.Params, c.compared)
	case m.Method != "" && m.ID != nil:
		return m, c.write(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": nil})
	}
	return m, nil
}

// call sends a request and decodes its result.
func (c *client) call(method string, params, result any) error {
	c.calls++
	if err := c.send(method, c.calls, params); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	for {
		m, err := c.next()
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", method, err)
		case m.Method != "" || m.ID == nil || string(*m.ID) != strconv.Itoa(c.calls):
		case m.Error != nil:
			return fmt.Errorf("%s: %s", method, m.Error.Message)
		case result == nil:
			return nil
		default:
			return json.Unmarshal(m.Result, result)
		}
	}
}

// served has what the language server sends for a pair.
type served struct {
	compared compared
	tasks    []report.Task
	code     []report.AppCode
	// headline has the sentences of the headline on the editor's page.
	headline []string
	page     report.Report
}

// serve compares a pair with the language server.
func (c *checker) serve(p pair, folder string) (s *served, err error) {
	program := exec.Command(c.program, "lsp")
	program.Dir = folder
	out, err := program.StdinPipe()
	if err != nil {
		return nil, err
	}
	in, err := program.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := program.Start(); err != nil {
		return nil, err
	}
	defer func() {
		out.Close()
		err = errors.Join(err, program.Wait())
	}()
	k := &client{in: bufio.NewReader(in), out: out}
	root := &url.URL{Scheme: "file", Path: filepath.ToSlash(folder)}
	if err := k.call("initialize", map[string]any{
		"processId": nil, "rootUri": root.String(),
		"capabilities":          map[string]any{"experimental": map[string]any{"diffprof": map[string]any{"notifications": true}}},
		"initializationOptions": map[string]any{"subject": p.subject, "reference": p.reference},
	}, nil); err != nil {
		return nil, err
	}
	if err := k.send("initialized", nil, struct{}{}); err != nil {
		return nil, err
	}
	for k.compared == nil {
		if _, err := k.next(); err != nil {
			return nil, fmt.Errorf("waiting for the comparison: %w", err)
		}
	}
	if k.compared.Error != "" {
		return nil, errors.New(k.compared.Error)
	}
	s = &served{compared: *k.compared}
	for more := true; more; {
		var list struct {
			Total int
			Tasks []report.Task
		}
		if err := k.call("diffprof/tasks", map[string]any{"offset": len(s.tasks), "limit": 1000}, &list); err != nil {
			return nil, err
		}
		s.tasks = append(s.tasks, list.Tasks...)
		more = len(list.Tasks) > 0 && len(s.tasks) < list.Total
	}
	for more := true; more; {
		var list struct {
			Total   int
			AppCode []report.AppCode
		}
		if err := k.call("diffprof/appCode", map[string]any{"offset": len(s.code), "limit": 1000}, &list); err != nil {
			return nil, err
		}
		s.code = append(s.code, list.AppCode...)
		more = len(list.AppCode) > 0 && len(s.code) < list.Total
	}
	var whole struct {
		Headline []string
		Report   report.Report
	}
	if err := k.call("diffprof/report", nil, &whole); err != nil {
		return nil, err
	}
	s.headline, s.page = whole.Headline, whole.Report
	if err := k.call("shutdown", nil, nil); err != nil {
		return nil, err
	}
	return s, k.send("exit", nil, nil)
}
