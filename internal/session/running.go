package session

import (
	"os"
	"time"

	"gitagent/gitops"
	"gitagent/internal/report"
)

// Running says what works in this repository right now, nil for nothing. Where
// nothing does it costs one look at a file. It takes no lock: what it says may
// have ended meanwhile.
func Running(repo *gitops.Repo) *report.Running {
	st, err := os.Stat(lockPath(repo.AgentDir()))
	if err != nil || st.Size() == 0 {
		return nil
	}
	f, err := os.Open(lockPath(repo.AgentDir()))
	if err != nil {
		return nil
	}
	defer f.Close()
	h := readHolder(f)
	if !h.alive() { // it was killed, and the next command recovers
		return nil
	}
	r := &report.Running{PID: h.pid, What: h.what, Since: st.ModTime().UTC().Truncate(time.Second)}
	if log, err := readCrashLog(repo.AgentDir()); err == nil && log.last.Session != "" && h.what == "session "+log.last.Session {
		r.Feature, r.Phase = log.last.Feature, log.last.Phase
	}
	return r
}
