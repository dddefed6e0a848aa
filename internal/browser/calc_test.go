package browser

import (
	"os"
	"path/filepath"
	"testing"
)

func writeFile(t *testing.T, dir, name, text string) {
	t.Helper()
	full := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

const calculator = `<!doctype html><html lang="en"><title>Calc</title><h1>Calculator</h1>
<output aria-label="Display" id="d">0</output>
<div><button>7</button><button>8</button><button>×</button><button>=</button><button>C</button></div>
<script>
const d = document.getElementById('d'); let s = '';
for (const b of document.querySelectorAll('button')) b.addEventListener('click', () => {
  const k = b.textContent;
  if (k === 'C') { s = ''; d.textContent = '0'; return; }
  if (k === '=') { s = String(s.split('×').reduce((a, x) => a * x, 1)); d.textContent = s; return; }
  s += k; d.textContent = s;
});
</script>`

func TestCalculator(t *testing.T) {
	r := play(t, calculator, `{"open":"/","steps":[{"see":"0","in":"Display"},{"click":"7"},{"click":"button:×"},"click 8",{"click":"="},{"see":"56","in":"Display"},{"click":"C"},{"see":"0","in":"Display"}]}`)
	if r.Verdict != Pass {
		t.Fatalf("%s", r.Inline())
	}
	t.Logf("%s", r.Inline())
	if r.Asserts.Evidence != 2 || r.Interactions[4].DisplayAfter != "56" {
		t.Errorf("%s", r.Inline())
	}
}
