import SwiftNFCCore

// Tags of ISO/IEC 15693: there may be several, and an inventory finds them.
extension PCSCDriver {
  /// How commands get to the tags that are there.
  ///
  /// - Throws: `tagResponseError` if they are silent.
  func vicinityPath() throws -> CardPath {
    if try startTransparentSession(.vicinity) { return .transparent(.vicinity) }
    let uids = try vicinityUIDs()
    guard !uids.isEmpty else { throw Self.silence }
    let dialects = uids.map { model.vicinityDialects(uid: $0) }
    for index in dialects[0].indices {
      for var dialect in dialects.map({ $0[index] }) {
        switch try dialect.confirm(by: { try transmit($0) }) {
        case .absent: continue
        case .silent where uids.count == 1 && isPatient: throw Self.silence
        case .silent: continue
        case .present:
          if uids.count > 1, try dialect.isContradicted(by: { try transmit($0) }) { continue }
          return .vicinity(dialect)
        }
      }
    }
    guard uids.count == 1 || !isPatient else { throw Self.silence }
    return .identifierOnly
  }

  /// Whether our own inventory finds all tags; otherwise the reader has found one.
  private var hasInventory: Bool { session?.isTransparent ?? false }

  func findVicinityTags() throws -> [Target] {
    guard hasInventory else {
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

  /// Returns the possible UIDs, most significant byte first, the most likely one first. Readers
  /// differ in the order, and a UID whose last byte equals its first is valid in both directions.
  private func vicinityUIDs() throws -> [[UInt8]] {
    guard let uid = try identifier(), uid.count == Self.uidLength else { return [] }
    let orders = model.reversesUIDs ? [uid.reversed(), uid] : [uid, uid.reversed()]
    return orders.filter { $0.first == Self.uidPrefix }
  }

  /// Returns the UID of the tag that the reader has found, asking the tag if it is ambiguous.
  private func vicinityUID() throws -> [UInt8]? {
    let uids = try vicinityUIDs()
    if case .vicinity(let dialect) = session?.path, uids.contains(dialect.uid) {
      return dialect.uid
    }
    return uids.first
  }

  /// Returns whether a tag is there and listens.
  func wakeVicinityTag(_ target: Target) throws -> Bool {
    guard case .iso15693(let wanted) = target else { return false }
    guard hasInventory else { return try vicinityUID() == wanted.uid }
    if try isThere(wanted.uid) || answersAddressed(wanted.uid) { return true }
    // It may have been deafened by a wrong password.
    try resetField()
    return try enter(patience: .zero) && (isThere(wanted.uid) || answersAddressed(wanted.uid))
  }

  /// Returns whether a tag is present in its current state: nothing is woken.
  func hasVicinityTag(_ target: Target) throws -> Bool {
    guard case .iso15693(let wanted) = target else { return false }
    guard hasInventory else { return try vicinityUID() == wanted.uid }
    return try isThere(wanted.uid) || answersAddressed(wanted.uid)
  }

  /// ICODE's GET RANDOM NUMBER, which a tag in privacy mode still answers (SL2S2602 data sheet,
  /// 9.5.3.17).
  private static let getRandomNumber: UInt8 = 0xB2
  /// The maker's code in a UID (ISO/IEC 7816-6).
  private static let nxp: UInt8 = 0x04

  /// Returns whether a tag answers addressed commands: it may have been told to stay quiet, or to
  /// hide.
  private func answersAddressed(_ uid: [UInt8]) throws -> Bool {
    var probes = [ISO15693Command.getSystemInformation]
    if let maker = ISO15693Chip.manufacturerCode(uid: uid), maker == Self.nxp {
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

  /// Returns whether a tag answers an inventory for its UID only.
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
    _ request: [UInt8], _ framing: Framing, _ timeout: Duration
  ) throws -> [UInt8] {
    guard framing == .checked else {
      throw NFCError(.unsupported, "an ISO 15693 tag's frames have their check added by the reader")
    }
    guard case .vicinity(var dialect) = session?.path else {
      return try frame(transparentExchange(request, timeout))
    }
    defer { session?.path = .vicinity(dialect) }
    switch try dialect.carry(request, by: { try transmit($0, timeout: timeout) }) {
    case .refused(let word)?, .unknown(let word)?: throw NFCError(vicinityStatusWord: word)
    case let outcome?: return try frame(outcome)
    case nil:
      let flags = request.first.map(ISO15693RequestFlags.init(rawValue:)) ?? []
      let what = flags.contains(.option) ? "this command with its option flag" : "this command"
      throw NFCError(
        .unsupported, "\(name) has no way to send \(what) to the tag", cause: .unsupportedByReader)
    }
  }
}
