// Package report is what people look at: how the project stands, what has
// happened, and one feature with its proof.
//
// It reads the last commit and the refs of git agent, never the working
// directory, and computes everything from them. It must never change anything,
// run anything that a repository brings, or believe a flag without evidence.
package report
