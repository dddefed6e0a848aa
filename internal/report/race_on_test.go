//go:build race

package report

// Under the race detector everything takes some twenty times as long.
const raceDetector = true
