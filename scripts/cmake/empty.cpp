// A library needs a source, also where an op has none of the kind.
