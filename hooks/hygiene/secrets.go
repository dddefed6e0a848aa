package hygiene

import (
	"fmt"
	"math"
	"strings"

	"gitagent/hooks/rule"
	"gitagent/internal/pattern"
)

// secret is a kind of secret that is told by its form alone.
type secret struct {
	name string
	word string // it has this, so most lines need no closer look
	re   *pattern.Pattern
}

// secrets are certain: each has a prefix that its issuer chose to be found by.
// A detector with hundreds of patterns (gitleaks) as a library costs 31 ms at
// every start, three times what was to be spent; where its program is
// installed, the hook asks it as well.
var secrets = []secret{
	{"an AWS access key", "A", pattern.Lazy(`\b(?:AKIA|ASIA)[A-Z2-7]{16}\b`)},
	{"a GitHub token", "gh", pattern.Lazy(`\bgh[pousr]_[A-Za-z0-9]{36,}\b`)},
	{"a GitHub token", "github_pat_", pattern.Lazy(`\bgithub_pat_[A-Za-z0-9_]{60,}\b`)},
	{"a GitLab token", "glpat-", pattern.Lazy(`\bglpat-[\w-]{20,}\b`)},
	{"a Slack token", "xox", pattern.Lazy(`\bxox[abposr]-[A-Za-z0-9-]{20,}`)},
	{"a Slack webhook", "hooks.slack.com", pattern.Lazy(`hooks\.slack\.com/services/T\w{8,}/B\w{8,}/\w{20,}`)},
	{"a Stripe key", "_live_", pattern.Lazy(`\b[sr]k_live_[A-Za-z0-9]{20,}\b`)},
	{"a Google API key", "AIza", pattern.Lazy(`\bAIza[\w-]{35}(?:\W|$)`)},
	{"a private key", "PRIVATE KEY", pattern.Lazy(`-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----`)},
	{"an npm token", "npm_", pattern.Lazy(`\bnpm_[A-Za-z0-9]{36}\b`)},
	{"an npm token", "_authToken", pattern.Lazy(`_authToken\s*=\s*[A-Za-z0-9][\w-]{19,}`)},
	{"a PyPI token", "pypi-", pattern.Lazy(`\bpypi-AgE[\w-]{50,}`)},
	{"an OpenAI key", "sk-", pattern.Lazy(`\bsk-(?:proj-)?[A-Za-z0-9_-]{20,}T3BlbkFJ[A-Za-z0-9_-]{20,}`)},
	{"an Anthropic key", "sk-ant-", pattern.Lazy(`\bsk-ant-[a-z]+\d\d-[\w-]{80,}`)},
	{"a Hugging Face token", "hf_", pattern.Lazy(`\bhf_[A-Za-z]{34}\b`)},
	{"a SendGrid key", "SG.", pattern.Lazy(`\bSG\.[\w-]{22}\.[\w-]{43}\b`)},
	{"a DigitalOcean token", "do", pattern.Lazy(`\bdo[oprt]_v1_[a-f0-9]{64}\b`)},
	{"a Telegram bot token", ":AA", pattern.Lazy(`\b\d{8,10}:AA[\w-]{33}\b`)},
}

// made is what examples in documentation look like.
var made = pattern.Lazy(`(?i)example|placeholder|your[_-]?|changeme|dummy|redacted|xxxx|\.\.\.|<[a-z_ -]+>|0000000|1234567890`)

// maxLine bounds what is looked at of one line.
const maxLine = 20_000

// Secrets looks for secrets in the lines that a change adds. What it says never
// holds one.
func Secrets(lines []rule.Line, whole string) []rule.Finding {
	var out []rule.Finding
	for _, l := range lines {
		text := l.Text[:min(len(l.Text), maxLine)]
		if name := secretIn(text, whole); name != "" {
			out = append(out, rule.Finding{Code: "hygiene.secret", Key: strings.TrimSpace(text), Line: l.N, What: fmt.Sprintf("has what looks like %s (line %d)", name, l.N)})
		}
	}
	return out
}

func secretIn(text, whole string) string {
	for _, s := range secrets {
		if !strings.Contains(text, s.word) {
			continue
		}
		m := s.re.FindString(text)
		switch {
		case m == "" || made.MatchString(m):
		case s.word == "PRIVATE KEY":
			if keyBody.MatchString(whole) {
				return s.name
			}
		case randomness(m) >= 3:
			return s.name
		}
	}
	return ""
}

// keyBody is the inside of a key: a header that is only spoken of has none.
var keyBody = pattern.Lazy(`PRIVATE KEY(?: BLOCK)?-----(?:\\n|\s|["'+])*(?:[A-Za-z-]+: [^\n]*\s+)*[A-Za-z0-9+/=]{40,}`)

// randomness is Shannon's entropy in bits a character.
func randomness(s string) float64 {
	count := map[rune]int{}
	n := 0
	for _, r := range s {
		count[r]++
		n++
	}
	var bits float64
	for _, c := range count {
		p := float64(c) / float64(n)
		bits -= p * math.Log2(p)
	}
	return bits
}
