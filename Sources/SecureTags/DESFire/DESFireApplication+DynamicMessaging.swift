import NFCCore

/// Secure Dynamic Messaging of a DESFire EV3 (NXP AN12752), with the bytes of NTAG 424 DNA: liblogicalaccess
/// (`DESFireEV3ISO7816Commands`), NXP's reader library, and AndroidCrypto's programs, which were used with EV3 cards.
extension DESFireApplication {
  /// Changes what the card inserts into a file of standard data that is read without authentication: GetFileSettings
  /// and one exchange. Everything else in the settings of the file stays as it is.
  ///
  /// Requires a session of the key that the settings name, and a file that was created for it; see
  /// ``createFile(_:_:isoIdentifier:allowsDynamicMessaging:)``. Enabling it sets the counter of the file to zero.
  ///
  /// - Parameter messaging: keys and places in the file; `nil` to read the file as it was written.
  /// - Throws: ``NFCError/Code/invalidParameter`` for a file number that no card has, and for a file of another type;
  ///   ``NFCError/Code/unsupported`` for a card that is not an EV3; ``NFCError/Code/notAuthenticated`` without the key
  ///   that the settings name; ``NFCError/Code/tagRefused`` if there is no such file, for places that the card does not
  ///   accept, and for a file that was not created for it.
  public func setDynamicMessaging(_ messaging: NTAG424DynamicMessaging?, file: Int) async throws {
    let code = try Self.fileNumber(file)
    try await performUninterrupted { procedure in
      let old = try procedure.fileSettings(code)
      try procedure.requireDynamicMessaging(of: old)
      var new = old
      new.dynamicMessaging = messaging
      try procedure.changeFileSettings(code, from: old, to: new)
    }
  }

  /// Reads how many times a file with Secure Dynamic Messaging was read (GetFileCounters): GetFileSettings and one
  /// exchange, with the key that the file's settings name.
  ///
  /// - Throws: ``NFCError/Code/unsupported`` if the file has no Secure Dynamic Messaging;
  ///   ``NFCError/Code/notAuthenticated`` without the key that its settings name.
  public func readCounter(file: Int) async throws -> Int {
    let code = try Self.fileNumber(file)
    return try await perform { try $0.readCounter(code) }
  }
}

extension DESFireProcedure {
  private static let counterSize = 3
  /// The counter and two reserved bytes (NT4H2421Gx data sheet, 10.7.3).
  private static let countersSize = 5

  /// - Throws: `unsupported` or `invalidParameter` for a card or a file that cannot have Secure Dynamic Messaging.
  func requireDynamicMessaging(of settings: DESFireFileSettings) throws {
    guard generation?.hasDynamicFiles ?? true else {
      throw NFCError(.unsupported, "only files of a DESFire EV3 can have dynamic messages")
    }
    guard case .standardData = settings.content else {
      throw NFCError(.invalidParameter, "only a file of standard data can have dynamic messages")
    }
  }

  mutating func readCounter(_ number: UInt8) throws -> Int {
    guard let messaging = try fileSettings(number).dynamicMessaging else {
      throw NFCError(.unsupported, "the card counts no reads: the file has no dynamic messages")
    }
    let isOwn = state.session.map { messaging.counterRetrieval == .key(Int($0.keyNumber)) }
    let answer = try send(
      DESFireCommand(
        code: .getFileCounters, header: [number],
        protection: .data(isOwn ?? false ? .encrypted : .plain),
        answer: .data(count: Self.countersSize)))
    return Int(littleEndian: answer.prefix(Self.counterSize))
  }
}
