package contract

import "testing"

func BenchmarkParseWithVariables(b *testing.B) {
	data := []byte(`{"version":1,"feature":"F001","revision":1,"vars":{"a":"int 2..99","b":"int 2..99","op":"one of x|y"},"examples":{"a":"40","b":"2","op":"x"},"checks":[` + sumCheck + `,
 {"id":"c2","kind":"page","covers":[1],"page":{"open":"/","steps":[{"type":"{a}","into":"A"},{"select":"{op}","from":"Op"},{"click":"Go"},{"see":"{a+1}"},{"see":"{op}!"}]}}]}`)
	for b.Loop() {
		if _, err := Parse(data); err != nil {
			b.Fatal(err)
		}
	}
}
