/// A vicinity tag that is connected through this package's reader.
struct NativeISO15693Tag: ISO15693Tag, ConnectedTag {
  let handle: TagHandle
  let target: ISO15693Target

  var icManufacturerCode: UInt8? { ISO15693Chip.manufacturerCode(uid: target.uid) }
  var icSerialNumber: [UInt8] { Array(target.uid.suffix(6)) }
  var dsfid: UInt8? { handle.vicinityKnowledge.dsfid ?? target.dsfid }

  /// The UID is used if it is sufficient; if it leaves several chips open, the tag is asked for the
  /// size of its memory, once.
  func product() async throws -> TagProduct? {
    guard let product = ISO15693Chip(uid: target.uid) else { return nil }
    guard product.isGroup else { return product.tagProduct }
    do {
      let information = try await handle.performVicinity { try $0.systemInformation() }
      return product.narrowed(
        blockSize: information.blockSize, blockCount: information.blockCount
      ).tagProduct
    } catch let error as NFCError where error.code == .unsupported {
      return product.tagProduct
    }
  }

  func transceive(_ request: [UInt8], timeout: Duration) async throws -> [UInt8] {
    try await transmit(request, timeout: timeout)
  }

  func sendRaw(_ request: [UInt8], _ link: TagLink) throws -> [UInt8] {
    guard request.count >= 2 else {
      throw NFCError(.invalidParameter, "a request has at least flags and a command")
    }
    let link = ISO15693Link(link)
    try link.checkRequests()
    handle.knowledge.withLock { $0.vicinity?.discardInformation() }
    return try link.transceive(request, timeout: TagLink.defaultTimeout)
  }

  func sendCommand(
    _ command: ISO15693Command, flags: ISO15693RequestFlags
  ) async throws -> ISO15693Response {
    try await handle.performVicinity(changes: true) { access in
      let response = try access.send(command, adding: flags)
      access.knowledge.discardInformation(after: command)
      return response
    }
  }

  func systemInformation() async throws -> ISO15693SystemInformation {
    try await handle.performVicinity { try $0.askInformation() }
  }

  func readBlocks(
    _ range: Range<Int>, securityStatus: Bool
  ) async throws -> [ISO15693Block] {
    try await handle.performVicinity { try $0.readBlocks(range, securityStatus: securityStatus) }
  }

  func securityStatus(_ range: Range<Int>) async throws -> [UInt8] {
    try await handle.performVicinity { try $0.securityStatus(range) }
  }

  func writeBlocks(at first: Int, _ data: [UInt8]) async throws {
    try await handle.performVicinity(changes: true) { try $0.writeBlocks(at: first, data) }
  }

  func lockBlock(_ number: Int) async throws {
    try await handle.performVicinity(changes: true) { try $0.lockBlock(number) }
  }
}

extension ISO15693Tag {
  /// The number of blocks, as the tag has reported it; `nil` before. No exchange.
  package var reportedBlockCount: Int? {
    (self as? any ConnectedTag)?.handle.vicinityKnowledge.blockCount
  }
}

extension TagHandle {
  /// The facts about a vicinity tag; at first, those from its UID.
  var vicinityKnowledge: ISO15693Knowledge {
    knowledge.withLock { $0.vicinity } ?? ISO15693Knowledge(uid: target.identifier)
  }

  /// Runs a procedure with a vicinity tag, and keeps what it has learned, even if it fails.
  fileprivate func performVicinity<Result: Sendable>(
    changes: Bool = false, _ body: @Sendable (inout ISO15693Access) throws -> Result
  ) async throws -> Result {
    try await perform { link in
      var access = ISO15693Access(ISO15693Link(link), knowledge: self.vicinityKnowledge)
      defer {
        self.knowledge.withLock { knowledge in
          knowledge.vicinity = access.knowledge
          if changes { knowledge.mapping = nil }
        }
      }
      return try body(&access)
    }
  }
}
