// Package crashtest has no code of the program's: its tests run the real binary
// in the repository of somebody at work, kill it at every step, take its disk,
// its locks and its clock away, and look at every byte afterwards.
package crashtest
