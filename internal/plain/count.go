package plain

import "fmt"

// Count says how many of something there are, in words for people: "1 file",
// "2 files".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
