package workspace

// MergePackageJSON and MergeGoMod are for tables and fuzzing.
func MergePackageJSON(old, new []byte) ([]byte, bool, bool) { return mergePackageJSON(old, new) }

func MergeGoMod(old, new []byte) ([]byte, bool, bool) { return mergeGoMod(old, new) }
