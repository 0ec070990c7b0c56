/// A MIFARE or NTAG tag that is connected through this package's reader.
struct NativeMiFareTag: MiFareTag, ConnectedTag {
  let handle: TagHandle
  let target: ISO14443ATarget
  let family: MiFareFamily

  var atqa: [UInt8] { target.atqa }
  var sak: UInt8 { target.sak }
  var ats: [UInt8] { target.ats }
  var historicalBytes: [UInt8] { target.historicalBytes }

  func product() async throws -> TagProduct? {
    if let known = handle.knowledge.withLock({ $0.product }) { return known }
    let product: TagProduct?
    switch family {
    case .classic: product = TypeAIdentification.classic(target)
    case .ultralight: return try await handle.perform { try handle.type2Chip($0)?.product }
    case .desfire, .plus, .unknown:
      product = try await askedProduct() ?? TypeAIdentification.plus(target)
    }
    handle.knowledge.withLock { $0.product = .some(product) }
    return product
  }

  /// Returns the product by GetVersion, unless the card was asked when it was found.
  private func askedProduct() async throws -> TagProduct? {
    guard handle.knowledge.withLock({ $0.version == nil }) else { return nil }
    return try await handle.perform { try TypeAIdentification.desfireVersion($0)?.product }
  }

  func sendMiFareCommand(_ command: [UInt8], timeout: Duration?) async throws -> [UInt8] {
    try await transmit(command, timeout: timeout)
  }

  func sendRaw(_ command: [UInt8], _ link: TagLink) throws -> [UInt8] {
    guard !command.isEmpty else {
      throw NFCError(.invalidParameter, "a command has at least one byte")
    }
    switch family {
    case .classic: return try MiFareClassicExchange.send(command, link)
    case .ultralight:
      handle.knowledge.withLock { $0.willSend(command) }
      return try UltralightExchange.send(command, link)
    case .desfire: return try DESFireWrapping.send(native: command, link)
    case .unknown:
      guard !link.capabilities.supportsOnlyAPDUs else {
        throw NFCError(
          .unsupported,
          "this reader sends only APDUs, and this card's commands cannot be sent as APDUs")
      }
      return try link.exchange(command, framing: .tagProtocol)
    // Readers that send APDUs also pass on the bytes of a Plus: its commands are not APDUs, but
    // have been sent in this way to readers of several makers (liblogicalaccess,
    // `MifarePlusSL0Commands` and `MifarePlusSL3Commands` over PC/SC).
    case .plus:
      return try link.exchange(command, framing: .tagProtocol)
    }
  }

  func sendCommand(_ command: APDU, timeout: Duration?) async throws -> ResponseAPDU {
    try checkSpeaksISO7816()
    return try await handle.performCommand {
      try ISO7816Exchange.send(command, $0.allowing(timeout))
    }
  }

  func sendCommand(
    _ command: APDU, options: APDUOptions, timeout: Duration?
  ) async throws -> ResponseAPDU {
    try checkSpeaksISO7816()
    return try await handle.performCommand {
      try ISO7816Procedure(ofProgram: $0.allowing(timeout)).send(command, options)
    }
  }

  private func checkSpeaksISO7816() throws {
    guard target.supportsISO14443Part4 else {
      throw NFCError(.unsupported, "this tag does not support ISO 14443-4")
    }
  }

  var iso7816: (any ISO7816Tag)? {
    target.supportsISO14443Part4 ? NativeISO7816Tag(handle: handle) : nil
  }

  var classic: MiFareClassicCommands? {
    family == .classic ? MiFareClassicCommands(handle: handle, target: target) : nil
  }

  var ultralight: UltralightCommands? {
    family == .ultralight ? UltralightCommands(handle: handle) : nil
  }
}
