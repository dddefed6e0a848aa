//go:build linux && !amd64 && !arm64

package sandbox

// auditArch 0 says that there is no filter for this architecture.
const auditArch = 0

var archDenied = [...]uint32{}
