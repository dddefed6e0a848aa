// Package sandbox starts, limits and ends every process that is not ours: the
// commands of a model, servers, test runners, the browser.
//
// It knows which layers of isolation this system allows and says which one was
// reached. It must never start anything with the environment of the harness,
// never fall back to a weaker level without saying so, and never leave a
// process behind. It knows nothing about git, models or checks.
package sandbox
