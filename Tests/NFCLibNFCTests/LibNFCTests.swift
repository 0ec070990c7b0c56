import Testing

/// One test after the other: some count the process's descriptors, others the time that a reader takes.
@Suite(.serialized) struct LibNFCTests {}
