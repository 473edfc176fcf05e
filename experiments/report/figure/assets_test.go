package figure

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"testing"
)

// What is embedded is what its notice says.
func TestTheNoticeNamesTheRenderer(t *testing.T) {
	notice, err := os.ReadFile("assets/third_party/NOTICE.md")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(resvg)
	line := hex.EncodeToString(sum[:]) + "  resvg.wasm.gz"
	if !strings.Contains(string(notice), line) {
		t.Errorf("the notice lacks %s", line)
	}
}
