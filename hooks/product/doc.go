// Package product holds the rule that a product does not know that it is being
// tested.
//
// It reads the lines that a change adds to product code, by language, and looks
// for what only a test would need. Each pattern has an innocent twin in the
// corpus of hooks/testdata. It must never judge style.
package product
