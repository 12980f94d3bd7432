package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// loop is a class as baksmali writes it. The second method is not marked.
const loop = `.class Lcom/mine/Feed;
.super Ljava/lang/Object;

.method static load(I)V
    .registers 3
    .param p0, "n"    # I
    .line 7
    const/4 v0, 0x0

    :goto_1
    if-ge v0, p0, :cond_7

    :try_start_3
    invoke-static {v0}, Lcom/mine/Feed;->show(I)V
    :try_end_3
    .catchall {:try_start_3 .. :try_end_3} :catchall_9

    .line 8
    add-int/lit8 v0, v0, 0x1

    goto :goto_1

    :cond_7
    packed-switch v0, :pswitch_data_10

    return-void

    :pswitch_8
    return-void

    :catchall_9
    move-exception v1

    throw v1

    nop

    :pswitch_data_10
    .packed-switch 0x1
        :pswitch_8
    .end packed-switch
.end method

.method static show(I)V
    .registers 1
    .line 12
    return-void
.end method
`

const markedLoop = `.class Lcom/mine/Feed;
.super Ljava/lang/Object;

.method static load(I)V
    .registers 3
    .param p0, "n"    # I
    .line 1
    const/4 v0, 0x0

    :goto_1
    .line 2
    if-ge v0, p0, :cond_7

    :try_start_3
    .line 3
    invoke-static {v0}, Lcom/mine/Feed;->show(I)V
    :try_end_3
    .catchall {:try_start_3 .. :try_end_3} :catchall_9

    .line 4
    add-int/lit8 v0, v0, 0x1

    goto :goto_1

    :cond_7
    .line 5
    packed-switch v0, :pswitch_data_10

    .line 6
    return-void

    :pswitch_8
    .line 7
    return-void

    :catchall_9
    .line 8
    move-exception v1

    .line 9
    throw v1

    .line 10
    nop

    :pswitch_data_10
    .packed-switch 0x1
        :pswitch_8
    .end packed-switch
.end method

.method static show(I)V
    .registers 1
    .line 12
    return-void
.end method
`

func TestMark(t *testing.T) {
	var k marker
	marked, probed := k.class([]byte(loop), "com/mine/Feed", map[string]bool{"load(I)V": true})
	if string(marked) != markedLoop {
		t.Errorf("marked:\n%s", marked)
	}
	// The probe of a handler follows its move-exception. All others stand before their block.
	var without []string
	lines := strings.Split(string(probed), "\n")
	calls := 0
	for i, line := range lines {
		if !strings.Contains(line, "Lblocks/B0;") {
			without = append(without, line)
			continue
		}
		calls++
		before := strings.TrimSpace(lines[i-1])
		if begins := strings.HasPrefix(before, ".line "); !begins && before != "move-exception v1" {
			t.Errorf("a call after %q", before)
		}
	}
	if strings.Join(without, "\n") != markedLoop {
		t.Errorf("probed, without the calls:\n%s", strings.Join(without, "\n"))
	}
	if calls != 8 || len(k.sites) != 8 || k.sites[7] != (site{"com.mine.Feed.load(I)V", 10}) {
		t.Errorf("%d calls for %v", calls, k.sites)
	}
}

func TestCompareBlocks(t *testing.T) {
	const (
		sites = "com.mine.Feed.load(I)V 1\ncom.mine.Feed.load(I)V 3\ncom.mine.Feed.load(I)V 5\n"
		lines = `{"executions":{"total":3,"rows":[{"method":"com.mine.Feed.load(I)V","line":1,"count":4},{"method":"com.mine.Feed.load(I)V","line":2,"count":9},{"method":"com.mine.Feed.load(I)V","line":3,"count":7}]}}`
	)
	for name, c := range map[string]struct{ sites, counts, lines, out, err string }{
		"equal":         {sites, "4 0\n5 1\n2 1\n", lines, "2 blocks of 1 methods began 11 times\n", ""},
		"different":     {sites, "4 0\n6 1\n", lines, "2 blocks of 1 methods began 10 times\n  7 times by diffprof, 6 by the calls: com.mine.Feed.load(I)V, line 3\n", "1 counts differ"},
		"missing":       {sites, "4 0\n7 1\n1 2\n", lines, "3 blocks of 1 methods began 12 times\n  0 times by diffprof, 1 by the calls: com.mine.Feed.load(I)V, line 5\n", "1 counts differ"},
		"nothing":       {sites, "", lines, "0 blocks of 0 methods began 0 times\n", "no block began"},
		"no such block": {sites, "4 3\n", lines, "", "counts:1: no block has the number 3"},
		"damaged":       {sites, "4 0\n5\n", lines, "", `counts:2: not a count and a block: "5"`},
		"without paths": {sites, "4 0\n", "{}", "", "lines: the recording has no paths"},
		"unknown paths": {sites, "4 0\n", `{"executions":{"unknown":2}}`, "", "lines: 2 paths are unknown"},
		"cut list":      {sites, "4 0\n", `{"executions":{"total":2}}`, "", "lines: 0 of 2 lines are listed"},
	} {
		t.Chdir(t.TempDir())
		for name, text := range map[string]string{"sites": c.sites, "counts": c.counts, "lines": c.lines} {
			if err := os.WriteFile(filepath.Join(".", name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		var out strings.Builder
		err := compareBlocks(&out, "sites", "counts", "lines")
		if out.String() != c.out || (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
			t.Errorf("%s: %q, %v", name, out.String(), err)
		}
	}
}
