package samples

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"sync"

	"github.com/diffprof/diffprof/fleet/samples/table"
)

const (
	// A batch is full when it has batchRows rows or batchBytes bytes.
	batchRows  = 256
	batchBytes = 1 << 18
)

// A batch has copies of consecutive records of a table.
type batch struct {
	records []table.Record
	rows    int // rows is the number of records in use.
	bytes   int
}

// A pool decodes a table with several goroutines. The table must be read from beginning to end, but
// decoding takes most of the time. The rows arrive at the sorter in any order.
type pool struct {
	r       *reader
	full    chan *batch
	free    chan *batch // free has room for all batches.
	current *batch
	group   sync.WaitGroup

	mu   sync.Mutex // mu protects the fields below.
	into *sorter
	err  error // err is the first error of the sorter.
}

// newPool starts the goroutines that decode a table. The caller must call wait.
func (r *reader) newPool(t *table.Table, l *layout, into *sorter) *pool {
	workers := cmp.Or(r.Workers, runtime.GOMAXPROCS(0))
	most := 2*workers + 1
	p := &pool{r: r, into: into, current: &batch{}, full: make(chan *batch, workers), free: make(chan *batch, most)}
	for range most - 1 {
		p.free <- &batch{}
	}
	for range workers {
		p.group.Go(func() { p.decode(r.decoder(t, l)) })
	}
	return p
}

// add adds a record. It returns the error of an earlier batch, if there is one.
func (p *pool) add(record *table.Record) error {
	b := p.current
	if b.rows == len(b.records) {
		b.records = append(b.records, table.Record{})
	}
	b.bytes += record.Copy(&b.records[b.rows])
	if b.rows++; b.rows < batchRows && b.bytes < batchBytes {
		return nil
	}
	p.full <- b
	p.current = <-p.free
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// wait decodes the last batch and ends the goroutines.
func (p *pool) wait() error {
	p.full <- p.current
	close(p.full)
	p.group.Wait()
	return p.err
}

// A sortable is a decoded row for the sorter. end is the end of its bytes in the batch's records.
type sortable struct {
	key  uint64
	time int64
	end  int
}

// decode decodes batches until there are no more.
func (p *pool) decode(d *decoder) {
	var rows []sortable
	var records []byte
	for b := range p.full {
		rows, records = rows[:0], records[:0]
		for i := range b.records[:b.rows] {
			row := d.decode(&b.records[i])
			if !math.IsNaN(row.rate) {
				row.client = ID(b.records[i].Row) // Rates have no clients, so each row is a client.
			}
			if d.hasFault(row) {
				continue
			}
			records = appendRow(records, row)
			rows = append(rows, sortable{uint64(row.client), row.time, len(records)})
		}
		b.rows, b.bytes = 0, 0
		p.free <- b
		p.sort(rows, records)
	}
}

// sort adds rows to the sorter.
func (p *pool) sort(rows []sortable, records []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	begin := 0
	for _, row := range rows {
		if p.err != nil {
			return
		}
		p.err = p.into.put(row.key, row.time, records[begin:row.end])
		begin = row.end
	}
}

// collectTable adds the samples of a table with one row per sample to the sorter.
func (r *reader) collectTable(ctx context.Context, t *table.Table, l *layout, into *sorter) error {
	defer r.countUnended(t)
	p := r.newPool(t, l, into)
	err := t.Each(func(record *table.Record) error {
		if record.Row%batchRows == 0 {
			if err := r.mayContinue(ctx); err != nil {
				return err
			}
		}
		return p.add(record)
	})
	if failed := p.wait(); err == nil {
		err = failed
	}
	return err
}
