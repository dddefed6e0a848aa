//go:build race

package features

// Under the race detector everything takes some twenty times as long.
const raceDetector = true
