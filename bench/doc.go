// Package bench holds a suite of small apps: what a person asks for, features
// with steps, a contract for each, a right solution, and wrong ones that look
// right.
//
// It knows the suite's files and judges a folder by an app's contracts. It must
// never judge by the solutions: another program that does what the steps say is
// as right as the one that is stored.
package bench
