package memory

import "testing"

func TestFree(t *testing.T) {
	if free := Free(); free < 1<<20 {
		t.Errorf("%d bytes free, which could not run this test", free)
	}
}
