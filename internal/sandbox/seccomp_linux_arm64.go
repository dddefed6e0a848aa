package sandbox

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

// archDenied are calls of this architecture alone.
var archDenied = [...]uint32{}
