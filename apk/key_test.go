package apk

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"software.sslmate.com/src/go-pkcs12"
)

// makeECKey makes a key on the curve P-256, which signs fast.
var makeECKey = sync.OnceValues(func() (*Key, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(7), Subject: pkix.Name{CommonName: "test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		return nil, err
	}
	c, err := x509.ParseCertificate(der)
	return &Key{private, []*x509.Certificate{c}}, err
})

func ecKey(t testing.TB) *Key {
	t.Helper()
	k, err := makeECKey()
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestKeys(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "config", "debug.pem")
	first, err := DebugKey(path)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Error("others can read the key:", info.Mode(), err)
	}
	second, err := DebugKey(path)
	if err != nil || first.Fingerprint() != second.Fingerprint() {
		t.Error("the second key is another one", err)
	}
	data, err := pkcs12.Modern.Encode(first.private, first.chain[0], nil, "secret")
	if err != nil {
		t.Fatal(err)
	}
	store := filepath.Join(folder, "a.p12")
	write := func(path string, data []byte) {
		t.Helper()
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(store, data)
	if k, err := ReadKey(store, "secret"); err != nil || k.Fingerprint() != first.Fingerprint() {
		t.Error(err)
	}
	write(filepath.Join(folder, "b.jks"), jksMagic)
	write(filepath.Join(folder, "b.jceks"), jceksMagic)
	write(filepath.Join(folder, "c.p12"), data[:len(data)-1])
	write(filepath.Join(folder, "d.pem"), []byte("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"))
	for path, want := range map[string]string{
		"a.p12": "the password is wrong", "b.jks": "damaged", "b.jceks": "keytool -importkeystore", "c.p12": "not a keystore", "missing": "no such file", "config": "not a file",
	} {
		if _, err := ReadKey(filepath.Join(folder, path), "other"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := DebugKey(filepath.Join(folder, "d.pem")); err == nil || !strings.Contains(err.Error(), "remove the file") {
		t.Error(err)
	}
	// Two processes that run at the same time must get the same key.
	var group sync.WaitGroup
	prints := make([]string, 4)
	for i := range prints {
		group.Go(func() {
			if k, err := DebugKey(filepath.Join(folder, "both.pem")); err == nil {
				prints[i] = k.Fingerprint()
			}
		})
	}
	group.Wait()
	for _, p := range prints {
		if p == "" || p != prints[0] {
			t.Errorf("keys %v", prints)
		}
	}
}

// TestJKS reads keystores that keytool writes.
func TestJKS(t *testing.T) {
	if testing.Short() {
		t.Skip("starts keytool often")
	}
	if _, err := exec.LookPath("keytool"); err != nil {
		t.Skip("needs keytool")
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "a.jks")
	keytool := func(args ...string) {
		t.Helper()
		args = append(args, "-keystore", path, "-storetype", "JKS", "-storepass", "secret")
		if out, err := exec.CommandContext(t.Context(), "keytool", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	make := func(alias, algorithm, size, password string) {
		t.Helper()
		keytool("-genkeypair", "-alias", alias, "-keyalg", algorithm, "-keysize", size, "-dname", "CN=test", "-keypass", password)
	}
	fails := func(password, want string) {
		t.Helper()
		if _, err := ReadKey(path, password); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	make("first", "EC", "256", "secret")
	k, err := ReadKey(path, "secret")
	if err != nil {
		t.Fatal(err)
	}
	if got := k.chain[0].Subject.CommonName; got != "test" {
		t.Errorf("the certificate is for %s", got)
	}
	fails("other", "the password is wrong")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	make("second", "RSA", "2048", "secret")
	fails("secret", "has 2 keys, and must have one (first, second)")
	for n := 4; n < len(data); n += 7 {
		if err := os.WriteFile(path, data[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadKey(path, "secret"); err == nil {
			t.Fatalf("%d bytes are read", n)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	make("first", "RSA", "2048", "different")
	fails("secret", "the key first has another password than the keystore")
}
