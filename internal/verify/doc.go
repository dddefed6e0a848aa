// Package verify tries a product tree from the outside: the checks of a
// contract, the project's tests and its set-up, each in a cell of its own.
//
// It owns argv, environment and reporter of everything it starts. It never
// believes what the product says about itself: no check, no browser, no server
// or no runner is "unverified", never a pass.
package verify
