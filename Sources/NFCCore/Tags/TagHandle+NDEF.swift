extension TagHandle {
  /// Runs a procedure of the tag's NDEF mapping, which keeps what it has learned if the procedure
  /// succeeds.
  private func withMapping<Result: Sendable>(
    _ body: @Sendable (inout any NDEFMapping, TagLink) throws -> Result
  ) async throws -> Result {
    try await perform { link in
      // Only one call at a time runs on the reader's thread: nobody else has the mapping meanwhile.
      let known = self.knowledge.withLock { knowledge in
        defer { knowledge.mapping = nil }
        return (mapping: knowledge.mapping, invalidationCount: knowledge.invalidationCount)
      }
      var mapping = try known.mapping ?? self.makeMapping(link)
      mapping.beginCall()
      let result = try body(&mapping, link)
      self.knowledge.withLock {
        if $0.invalidationCount == known.invalidationCount { $0.mapping = mapping }
        if let mapping = mapping as? Type2Mapping { $0.learn(mapping) }
      }
      return result
    }
  }

  /// Returns the mapping of the tag's kind. Throws `unsupported` for a kind that NDEF is not
  /// defined for.
  private func makeMapping(_ link: TagLink) throws -> any NDEFMapping {
    let product = knowledge.withLock { $0.product } ?? nil
    switch target {
    case .iso14443a(let target) where target.supportsISO14443Part4:
      return Type4Mapping(product: product, passwords: knowledge.withLock { $0.filePasswords })
    case .iso14443a(let target):
      if TypeAIdentification.kind(target, version: nil) == .miFare(.ultralight) {
        return Type2Mapping(
          knowledge.withLock { $0.identification },
          sector: knowledge.withLock { $0.isSectorUnknown } ? nil : 0)
      }
      if let mapping = ClassicMapping(target, keys: knowledge.withLock { $0.classicKeys }) {
        return mapping
      }
    case .iso14443b:
      return Type4Mapping(product: nil)
    case .feliCa(let target):
      return Type3Mapping(target: target)
    case .iso15693:
      return Type5Mapping(knowledge: vicinityKnowledge)
    case .jewel:
      return Type1Mapping()
    default: break
    }
    throw NFCError(.unsupported, "NDEF is not defined for this kind of tag")
  }

  func queryNDEFStatus() async throws -> NDEFStatus {
    try await withMapping { mapping, link in try mapping.status(link) }
  }

  func readNDEFBytes() async throws -> [UInt8]? {
    try await withMapping { mapping, link in try mapping.read(link) }
  }

  /// Returns the status and, unless the tag holds no NDEF structure, the message: nothing is proven
  /// twice.
  func readNDEFContent() async throws -> (status: NDEFStatus, bytes: [UInt8]?) {
    try await withMapping { mapping, link in
      let content = try mapping.content(link)
      return (content.status, content.message)
    }
  }

  func writeNDEFBytes(_ message: [UInt8], verify: Bool) async throws {
    try await withMapping { mapping, link in
      try mapping.checkedWrite(message, verify: verify, link)
    }
  }

  func formatNDEF(wipe: Bool) async throws {
    try await withMapping { mapping, link in
      try link.inDoubtOfChange("the tag may be formatted in part: format it again") {
        try mapping.format(wipe: wipe, link)
      }
    }
  }

  func makeReadOnly() async throws {
    try await withMapping { mapping, link in
      try link.inDoubtOfChange("the tag may be locked in part: lock it again, which completes it") {
        try mapping.lock(link)
      }
    }
  }

  func readOnlyPlan() async throws -> [LockStep] {
    try await withMapping { mapping, link in try mapping.lockPlan(link) }
  }

  func discardCachedContent() {
    knowledge.withLock {
      $0.mapping = nil
      $0.invalidationCount += 1
    }
  }
}
