/// A smart card that is connected through this package's reader.
struct NativeISO7816Tag: ISO7816Tag, ConnectedTag {
  let handle: TagHandle
  let miFareClassic: (any MiFareTag)?

  init(handle: TagHandle) {
    self.handle = handle
    guard case .iso14443a(let target) = handle.target, let side = target.classicSide else {
      miFareClassic = nil
      return
    }
    miFareClassic = NativeMiFareTag(
      handle: TagHandle(reader: handle.reader, target: .iso14443a(side), epoch: handle.epoch),
      target: side, family: .classic)
  }

  private var typeA: ISO14443ATarget? {
    if case .iso14443a(let target) = handle.target { target } else { nil }
  }

  private var typeB: ISO14443BTarget? {
    if case .iso14443b(let target) = handle.target { target } else { nil }
  }

  var historicalBytes: [UInt8] { typeA?.historicalBytes ?? [] }
  var applicationData: [UInt8]? { typeB?.applicationData }
  var protocolInfo: [UInt8]? { typeB?.protocolInfo }
  var atqa: [UInt8]? { typeA?.atqa }
  var sak: UInt8? { typeA?.sak }
  var ats: [UInt8]? { typeA?.ats }

  func product() async throws -> TagProduct? {
    (handle.knowledge.withLock { $0.product } ?? nil)
      ?? typeA.flatMap { CardChip(uid: $0.uid)?.product }
  }

  func sendCommand(_ command: APDU, timeout: Duration?) async throws -> ResponseAPDU {
    try await handle.performCommand { try ISO7816Exchange.send(command, $0.allowing(timeout)) }
  }

  func sendCommand(
    _ command: APDU, options: APDUOptions, timeout: Duration?
  ) async throws -> ResponseAPDU {
    try await handle.performCommand {
      try ISO7816Procedure(ofProgram: $0.allowing(timeout)).send(command, options)
    }
  }

  func sendRaw(_ command: [UInt8], _ link: TagLink) throws -> [UInt8] {
    try link.exchange(command, framing: .tagProtocol, timeout: ISO7816Exchange.timeout)
  }

  func selectApplication(of aids: [ApplicationIdentifier]) async throws -> SelectedApplication {
    try await handle.performCommand { try ISO7816Procedure($0).selectApplication(of: aids) }
  }

  func readBinary(file: UInt16?, offset: Int, count: Int?) async throws -> [UInt8] {
    try await handle.performCommand { link in
      let procedure = ISO7816Procedure(link)
      if let file { try procedure.selectFile(file) }
      var limit =
        handle.knowledge.withLock { $0.readBinaryLimit } ?? ISO7816Procedure.longestRead
      defer { handle.knowledge.withLock { $0.readBinaryLimit = limit } }
      return try procedure.readBinary(file: file, offset: offset, count: count, limit: &limit)
    }
  }
}

/// Commands of ISO/IEC 7816-4 over the air.
enum ISO7816Exchange {
  /// The time limit including waiting-time extensions: a card that computes for longer is
  /// abandoned.
  static let timeout = Duration.seconds(5)

  static func send(_ command: APDU, _ link: TagLink) throws -> ResponseAPDU {
    try command.validate()
    return try ResponseAPDU(link.exchange(command.encoded, framing: .tagProtocol, timeout: timeout))
  }

  /// Sends a command of a procedure; once more if it changes nothing on the card and was lost between host and reader.
  ///
  /// What is lost on the air, the reader repeats by itself, block by block (ISO/IEC 14443-4, 7.5.6); where that has
  /// failed, the numbers of the blocks may differ.
  static func ask(_ command: APDU, _ link: TagLink) throws -> ResponseAPDU {
    return try (command.changesNothing ? FrameLoss.onLine : []).repeatingOnce {
      try link.changing(command.updatesFile, isRefusal: { $0.status.leavesMemoryUnchanged }) {
        try send(command, link)
      }
    }
  }
}
