package simulation

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
)

// Formats are the output formats of Write.
var Formats = []string{"csv", "parquet"}

// A record is a row of a file of samples.
type record struct {
	Client  string    `parquet:"client,dict,zstd"`
	Time    time.Time `parquet:"time,timestamp(millisecond),zstd"`
	Level   float32   `parquet:"level,dict,zstd"`
	State   string    `parquet:"state,dict,zstd"`
	Trigger string    `parquet:"trigger,dict,zstd"`
	Apps    []string  `parquet:"apps,list,dict,zstd"`
	// Versions are the versions of Apps. The version of an app without a version is "".
	Versions []string `parquet:"versions,list,dict,zstd"`
	Screen   string   `parquet:"screen,dict,zstd"`
	Model    string   `parquet:"model,dict,zstd"`
	Network  string   `parquet:"network,dict,zstd"`
}

// Write writes the samples of all clients in one of Formats. It calls stopped before each client,
// and ends if stopped returns an error.
func (f *Fleet) Write(w io.Writer, format string, stopped func() error) error {
	if format == "parquet" {
		return f.writeParquet(w, stopped)
	}
	return f.writeCSV(w, stopped)
}

// each calls give for each sample of all clients. The record is valid until the next call.
func (f *Fleet) each(stopped func() error, give func(*record) error) error {
	for i := range f.Clients {
		if err := stopped(); err != nil {
			return err
		}
		r := record{Client: ClientName(i), Model: ModelName(f.Model(i))}
		var err error
		f.Client(i, func(s *Sample) {
			r.Time = time.UnixMilli(Start + s.Time*1000).UTC()
			r.Level, r.State, r.Trigger, r.Screen, r.Network = float32(s.Level), "discharging", "level changed", "off", "wifi"
			if s.Charging {
				r.State, r.Trigger = "charging", ""
			}
			if s.Screen {
				r.Screen = "on"
			}
			if s.Mobile {
				r.Network = "mobile"
			}
			r.Apps, r.Versions = r.Apps[:0], r.Versions[:0]
			for _, a := range s.Apps {
				r.Apps, r.Versions = append(r.Apps, f.Apps[a].Name), append(r.Versions, f.Version(i, a))
			}
			if err == nil {
				err = give(&r)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *Fleet) writeCSV(w io.Writer, stopped func() error) error {
	b := bufio.NewWriterSize(w, 1<<20)
	fmt.Fprintln(b, "client,time,level,state,trigger,apps,screen,model,network")
	err := f.each(stopped, func(r *record) error {
		for i, v := range r.Versions {
			if v != "" {
				r.Apps[i] += "@" + v
			}
		}
		_, err := fmt.Fprintf(b, "%s,%s,%v,%s,%s,%s,%s,%s,%s\n", r.Client, r.Time.Format(time.DateTime), r.Level, r.State, r.Trigger, strings.Join(r.Apps, " "), r.Screen, r.Model, r.Network)
		return err
	})
	if err != nil {
		return err
	}
	return b.Flush()
}

func (f *Fleet) writeParquet(w io.Writer, stopped func() error) error {
	const group = 1 << 18
	p := parquet.NewGenericWriter[record](w, parquet.MaxRowsPerRowGroup(group))
	if err := f.each(stopped, func(r *record) error {
		_, err := p.Write([]record{*r})
		return err
	}); err != nil {
		return err
	}
	return p.Close()
}
