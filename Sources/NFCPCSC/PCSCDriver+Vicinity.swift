import NFCCore

// Tags of ISO/IEC 15693: several may be there at once, and an inventory tells which.
extension PCSCDriver {
  func vicinityDialect() throws -> PCSCDialect {
    if try startTransparentSession(.vicinity) { return .transparentSession }
    guard let dialect = model.vicinityPassThrough else { return .storageCard }
    let probes: [ISO15693Command] = [.getSystemInformation, .readSingleBlock(0)]
    for probe in probes {
      let request = try ISO15693Request(probe).encoded()
      guard let command = dialect.command(for: request) else { continue }
      if case .data = StorageCardCommands.outcome(try transmit(command)) { return dialect }
    }
    return .storageCard
  }

  private var hasTransparentFrames: Bool { session?.isTransparent ?? false }

  func findVicinityTags() throws -> [Target] {
    guard hasTransparentFrames else {
      guard let uid = try vicinityUID() else { return [] }
      return [.iso15693(ISO15693Target(uid: uid))]
    }
    let link = ISO15693Link(
      maximumCommandLength: TransparentSession.maximumCommandLength,
      maximumResponseLength: TransparentSession.maximumResponseLength
    ) { frame, timeout in
      try self.exchange(frame, framing: .checked, timeout: timeout)
    }
    return try ISO15693Inventory.run(link).map {
      .iso15693(ISO15693Target(uid: $0.uid, dsfid: $0.dsfid))
    }
  }

  /// What every UID begins with (ISO/IEC 15693-3, 4.1).
  private static let uidPrefix: UInt8 = 0xE0
  private static let uidLength = 8

  /// The UID, most significant byte first. Readers differ in the order; one that reads as a UID
  /// both ways is taken as the standard has it on the air.
  private func vicinityUID() throws -> [UInt8]? {
    guard let uid = try identifier(), uid.count == Self.uidLength else { return nil }
    if uid.last == Self.uidPrefix { return uid.reversed() }
    return uid.first == Self.uidPrefix ? uid : nil
  }

  /// Whether a tag is there and listens.
  func wakeVicinityTag(_ target: Target) throws -> Bool {
    guard case .iso15693(let wanted) = target else { return false }
    guard hasTransparentFrames else { return try vicinityUID() == wanted.uid }
    if try isThere(wanted.uid) || hears(wanted.uid) { return true }
    // It may have been deafened by a wrong password.
    try resetField()
    return try enter(patience: .zero) && (isThere(wanted.uid) || hears(wanted.uid))
  }

  /// ICODE's GET RANDOM NUMBER, which a tag in privacy mode still answers (SL2S2602 data sheet,
  /// 9.5.3.17).
  private static let getRandomNumber: UInt8 = 0xB2
  /// The maker's code in a UID (ISO/IEC 7816-6).
  private static let nxp: UInt8 = 0x04

  /// Whether a tag answers what is addressed to it: it may have been told to stay quiet, or to hide.
  private func hears(_ uid: [UInt8]) throws -> Bool {
    var probes = [ISO15693Command.getSystemInformation]
    if let maker = ISO15693Product.manufacturerCode(uid: uid), maker == Self.nxp {
      probes.append(.custom(code: Self.getRandomNumber, manufacturer: maker, parameters: []))
    }
    for probe in probes {
      let request = try ISO15693Request(probe, uid: uid).encoded()
      do {
        _ = try exchange(request, framing: .checked, timeout: Self.inventoryTimeout)
        return true
      } catch let error as NFCError where error.code == .tagResponseError {
        continue
      }
    }
    return false
  }

  private static let inventoryTimeout = Duration.milliseconds(60)

  /// Whether a tag answers an inventory for its UID alone.
  private func isThere(_ uid: [UInt8]) throws -> Bool {
    let value = uid.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let request = try ISO15693Request(
      .inventory(afi: nil, mask: ISO15693InventoryMask(length: 64, value: value)),
      flags: [.highDataRate, .inventoryOneSlot]
    ).encoded()
    let attempts = 2
    for _ in 0..<attempts {
      do {
        let answer = try exchange(request, framing: .checked, timeout: Self.inventoryTimeout)
        return try ISO15693InventoryAnswer(
          decoding: ISO15693Response(decoding: answer).checkedPayload()
        ).uid == uid
      } catch let error as NFCError where error.code == .tagResponseError {
        continue
      }
    }
    return false
  }

  func exchangeVicinity(
    _ request: [UInt8], _ framing: Framing, _ timeout: Duration, _ dialect: PCSCDialect
  ) throws -> [UInt8] {
    guard framing == .checked else {
      throw NFCError(.unsupported, "an ISO 15693 tag's frames have their check added by the reader")
    }
    guard dialect != .transparentSession else {
      return try frame(transparentExchange(request, timeout))
    }
    guard let command = dialect.command(for: request) else {
      // To procedures that try the larger command first it is as if the tag did not have it.
      let code = request.dropFirst().first
      let hasSmallerForm =
        code == ISO15693CommandCode.readMultipleBlocks
        || code == ISO15693CommandCode.getSystemInformation
      guard !hasSmallerForm else { return ISO15693Response(.commandNotSupported).encoded }
      throw NFCError(.unsupported, "\(name) has no way to send this command to the tag")
    }
    return try frame(PCSCDialect.outcome(transmit(command, timeout: timeout)))
  }
}
