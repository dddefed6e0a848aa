//go:build !race

package features

const raceDetector = false
