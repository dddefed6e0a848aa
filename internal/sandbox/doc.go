// Package sandbox starts, limits and ends every process that is not ours: the
// commands of a model, servers, test runners, the browser.
//
// It knows which layers of isolation this system allows and says which one was
// reached. It must never start anything with the environment of the harness,
// never fall back to a weaker level without saying so, and never leave a
// process behind. It knows nothing about git, models or checks.
//
// On Linux this binary starts itself again, which Dispatch notices: a holder
// is the first process of a cell's namespaces, a keeper is the parent of each
// started process and ends all that comes of it, and a joiner stands for such
// a process where a library wants a child of its own. Without namespaces the
// keepers live beside us. Elsewhere processes are started directly.
//
// A keeper also puts the rules on what it starts: limits, no privileges, a
// Landlock ruleset, a filter of system calls. Connections are made by the
// keeper for the process, after a look at where they lead, so that without a
// network namespace too nothing but loopback is reached.
package sandbox
