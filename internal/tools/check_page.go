package tools

import (
	"context"
	"encoding/json"

	"gitagent/internal/plain"
)

func checkPageTool() tool {
	return tool{
		name:  "check_page",
		about: `Use the project's page as a person would and report what it shows, e.g. {"open":"/","steps":[{"type":"2","into":"Amount"},{"click":"Add"},{"see":"2","in":"Total"}]}. Names are the visible ones; "in" is a row or section. Also: press, select/from, not_see, value, count/of, wait, reload, drag/to, upload/into, animates, resize, restart.`,
		params: []param{
			{name: "scenario", kind: object, aliases: []string{"json", "page", "spec", "test"}},
		},
		run: checkPage,
	}
}

// checkPage hands the scenario on; its grammar belongs to the browser.
func checkPage(ctx context.Context, env *Env, a values) Result {
	if env.CheckPage == nil {
		return refuse("No page can be checked here: there is no browser.")
	}
	scenario, ok := a["scenario"].(json.RawMessage)
	if !ok {
		return refuse("check_page: scenario must be a JSON object.")
	}
	answer, err := env.CheckPage(ctx, scenario)
	if err != nil {
		return refuse("check_page: %s", plain.Clip(plain.Text(err.Error()), 2000))
	}
	out := Result{Text: plain.Clip(plain.Text(answer), env.ReadLimit), OK: true}
	var saw struct{ Verdict, Reason string }
	if json.Unmarshal([]byte(answer), &saw) == nil {
		out.OK, out.Note = saw.Verdict == "pass", saw.Verdict+": "+saw.Reason
	}
	return out
}
