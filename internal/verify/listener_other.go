//go:build !linux

package verify

// listenerIsOurs cannot be known here; nobody answered on the port before.
func listenerIsOurs(int) bool { return true }
