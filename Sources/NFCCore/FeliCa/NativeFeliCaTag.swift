/// A FeliCa card that is connected through this package's reader.
struct NativeFeliCaTag: FeliCaTag, ConnectedTag {
  let handle: TagHandle
  let target: FeliCaTarget

  var idm: [UInt8] { target.idm }
  var pmm: [UInt8] { target.pmm }
  var systemCode: [UInt8] { target.systemCode }

  func product() async throws -> TagProduct? {
    FeliCaChip(pmm: target.pmm)?.product
  }

  func sendFeliCaCommand(_ command: [UInt8], timeout: Duration?) async throws -> [UInt8] {
    try await transmit(command, timeout: timeout)
  }

  func sendRaw(_ command: [UInt8], _ link: TagLink) throws -> [UInt8] {
    try FeliCaExchange.send(command, link)
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
    guard blocks.lowerBound >= 0, blocks.upperBound <= Int(UInt16.max) + 1 else {
      throw NFCError(.invalidParameter, "block numbers are 0 to \(UInt16.max)")
    }
    return try await withLimits(in: system) { procedure, limits in
      try procedure.read(service: service, blocks: Array(blocks), limit: &limits.read)
    }
  }

  func readBlocks(service: UInt16, numbers: [Int]) async throws -> [[UInt8]] {
    try await withLimits(in: nil) { procedure, limits in
      try procedure.read(service: service, blocks: numbers, limit: &limits.read)
    }
  }

  func readAllBlocks(service: UInt16) async throws -> (blocks: [[UInt8]], isComplete: Bool) {
    try await withLimits(in: nil) { procedure, limits in
      try procedure.readAll(service: service, limit: &limits.read)
    }
  }

  func writeBlocks(
    service: UInt16, at first: Int, _ data: [UInt8], system: FeliCaSystem?
  ) async throws {
    guard !data.isEmpty, (0...Int(UInt16.max)).contains(first) else {
      throw NFCError(
        .invalidParameter,
        data.isEmpty ? "there is nothing to write" : "block numbers are 0 to \(UInt16.max)")
    }
    let blocks = stride(from: 0, to: data.count, by: FeliCaBlock.size).map {
      Array(data[$0...].prefix(FeliCaBlock.size))
    }
    try await withLimits(in: system) { procedure, limits in
      try procedure.write(
        service: service, blocks: Array(first..<(first + blocks.count)), data: blocks,
        limit: &limits.write)
    }
  }

  /// Runs a procedure with the limits that are known for the card, and remembers its refusals.
  private func withLimits<Result: Sendable>(
    in system: FeliCaSystem?,
    _ body: @Sendable (FeliCaBlockProcedure, inout FeliCaBlockLimits) throws -> Result
  ) async throws -> Result {
    try await handle.performCommand { link in
      var limits =
        handle.knowledge.withLock { $0.feliCaLimits }
        ?? FeliCaBlockLimits(pmm: system?.pmm ?? pmm)
      defer { handle.knowledge.withLock { $0.feliCaLimits = limits } }
      return try body(FeliCaBlockProcedure(idm: system?.idm ?? idm, link), &limits)
    }
  }
}

/// Commands of JIS X 6319-4 over the air.
enum FeliCaExchange {
  /// Sends a command as a value.
  static func send<Command: FeliCaCommand>(
    _ command: Command, _ link: TagLink
  ) throws -> Command.Answer {
    try command.validate()
    return try command.answer(ask(command.encoded, link))
  }

  /// Sends a command of a procedure; once more after a lost frame if it changes nothing on the card.
  static func ask(_ command: [UInt8], _ link: TagLink) throws -> [UInt8] {
    let isWrite = command.first == FeliCaCommandCode.writeWithoutEncryption
    return try FeliCaCommandCode.repeatedAfter(command).repeatingOnce {
      try link.changing(isWrite, isRefusal: FeliCaAnswer.isRefusal) { try send(command, link) }
    }
  }

  /// Sends a command after its LEN, and removes LEN from the answer.
  static func send(_ command: [UInt8], _ link: TagLink) throws -> [UInt8] {
    guard (1...254).contains(command.count) else {
      throw NFCError(
        command.isEmpty ? .invalidParameter : .commandTooLong,
        "a FeliCa command has 1 to 254 bytes, not \(command.count)")
    }
    let answer = try link.exchange(
      [UInt8(command.count + 1)] + command, framing: .checked,
      timeout: FeliCaResponseTime.timeout(of: command, pmm: link.target.pmm))
    guard let length = answer.first, Int(length) == answer.count, answer.count > 1 else {
      throw NFCError(.tagResponseError, "the card's answer has a wrong length")
    }
    return Array(answer.dropFirst())
  }
}

extension Target {
  /// The PMm of a FeliCa card; empty for another tag.
  fileprivate var pmm: [UInt8] {
    if case .feliCa(let target) = self { target.pmm } else { [] }
  }
}
