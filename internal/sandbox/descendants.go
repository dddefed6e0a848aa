package sandbox

// below flattens the tree under pid.
func below(children map[int][]int, pid int) []int {
	var out []int
	queue := []int{pid}
	for len(queue) > 0 {
		at := queue[0]
		next := children[at]
		delete(children, at) // pids read at different moments could form a loop
		out, queue = append(out, next...), append(queue[1:], next...)
	}
	return out
}
