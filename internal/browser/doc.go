// Package browser drives a real Chromium through a whole scenario and says what
// a person would have seen: pass, fail or unverified.
//
// It knows pages, locators, input events and what is rendered. Everything that
// reads a page runs in an isolated world, which the page cannot touch.
//
// It must never act on a page by script where a person would use mouse or
// keyboard, never call something that could not be observed a pass, and never
// leave a process or a profile folder behind. Only loopback is reachable.
package browser
