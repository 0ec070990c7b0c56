/// A FeliCa card over a reader of ours.
struct NativeFeliCaTag: FeliCaTag, HandleTag {
  let handle: TagHandle
  let target: FeliCaTarget

  var idm: [UInt8] { target.idm }
  var pmm: [UInt8] { target.pmm }
  var systemCode: [UInt8] { target.systemCode }

  func product() async throws -> TagProduct? {
    FeliCaIdentification.product(pmm: target.pmm)
  }

  func sendFeliCaCommand(_ command: [UInt8]) async throws -> [UInt8] {
    try await handle.performCommand { try FeliCaExchange.send(command, $0) }
  }

  func inSystem(_ system: FeliCaSystem) -> any FeliCaTag {
    var target = target
    target.idm = system.idm
    target.pmm = system.pmm
    target.systemCode = system.code.bigEndianBytes
    return NativeFeliCaTag(handle: handle, target: target)
  }

  var lite: FeliCaLiteCommands? {
    FeliCaLiteGeneration(pmm: pmm).map {
      FeliCaLiteCommands(handle: handle, idm: idm, generation: $0)
    }
  }

  func readBlocks(
    service: UInt16, blocks: Range<Int>, system: FeliCaSystem?
  ) async throws -> [[UInt8]] {
    try await handle.performCommand { link in
      var limit =
        handle.knowledge.withLock { $0.blocksPerRead } ?? FeliCaReadWithoutEncryption.maximumBlocks
      if FeliCaLiteGeneration(pmm: pmm) != nil {
        limit = min(limit, FeliCaLiteLayout.maximumBlocksRead)
      }
      defer { handle.knowledge.withLock { $0.blocksPerRead = limit } }
      return try FeliCaBlockProcedure(idm: system?.idm ?? idm, link).read(
        service: service, blocks: blocks, limit: &limit)
    }
  }

  func writeBlocks(
    service: UInt16, firstBlock: Int, data: [[UInt8]], system: FeliCaSystem?
  ) async throws {
    try await handle.performCommand { link in
      var limit =
        handle.knowledge.withLock { $0.blocksPerWrite }
        ?? FeliCaWriteWithoutEncryption.maximumBlocks
      if FeliCaLiteGeneration(pmm: pmm) != nil { limit = FeliCaLiteLayout.maximumBlocksWritten }
      defer { handle.knowledge.withLock { $0.blocksPerWrite = limit } }
      try FeliCaBlockProcedure(idm: system?.idm ?? idm, link).write(
        service: service, firstBlock: firstBlock, data: data, limit: &limit)
    }
  }
}

/// Which chip a FeliCa card is.
enum FeliCaIdentification {
  /// FeliCa Plug, FeliCa Link in its plug mode, and a PMm of FF that tells nothing.
  private static let otherICTypes: Set<UInt8> = [0xE0, 0xE1, 0xFF]

  /// By the IC type, the second byte of PMm (Sony, "FeliCa technical information on IC types"; FeliCa
  /// Lite-S User's Manual, 2.3).
  static func product(pmm: [UInt8]) -> TagProduct? {
    guard pmm.count == 8 else { return nil }
    switch FeliCaLiteGeneration(pmm: pmm) {
    case .lite?: return sony("FeliCa Lite")
    case .liteS?: return sony("FeliCa Lite-S")
    case nil: return otherICTypes.contains(pmm[1]) ? nil : sony("FeliCa Standard")
    }
  }

  private static func sony(_ name: String) -> TagProduct { TagProduct(name: name, maker: "Sony") }
}

/// Commands of JIS X 6319-4 over the air.
enum FeliCaExchange {
  private static let timeout = Duration.milliseconds(500)

  /// Sends a command as a value.
  static func send<Command: FeliCaCommand>(
    _ command: Command, _ link: TagLink
  ) throws -> Command.Answer {
    try command.validate()
    return try command.answer(send(command.encoded, link))
  }

  /// Puts LEN before the command and takes it from the answer.
  static func send(_ command: [UInt8], _ link: TagLink) throws -> [UInt8] {
    guard (1...254).contains(command.count) else {
      throw NFCError(
        command.isEmpty ? .invalidParameter : .commandTooLong,
        "a FeliCa command has 1 to 254 bytes, not \(command.count)")
    }
    let answer = try link.exchange(
      [UInt8(command.count + 1)] + command, framing: .checked, timeout: timeout)
    guard let length = answer.first, Int(length) == answer.count, answer.count > 1 else {
      throw NFCError(.tagResponseError, "the card's answer has a wrong length")
    }
    return Array(answer.dropFirst())
  }
}
