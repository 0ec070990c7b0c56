/// The 3DES authentication of MIFARE Ultralight C (MF0ICU2 data sheet, 7.5.5).
extension UltralightCommands {
  /// Authenticates with the key and has the tag authenticate. Two exchanges. It lasts while the tag
  /// is connected, and is repeated automatically after a refusal has ended it.
  ///
  /// - Parameter key: 16 bytes, the two DES keys in the order in which DES takes them; on delivery
  ///   `49454D4B41455242214E4143554F5946`.
  /// - Throws: ``NFCError/Code/authenticationFailed``; ``NFCError/Code/invalidParameter`` for another number of
  ///   bytes.
  public func authenticate(key: [UInt8]) async throws {
    try await handle.performCommand { link in
      try UltralightCAuthentication.run(key: key, link)
      handle.knowledge.withLock {
        $0.authentication = .tripleDES(key)
        // No other chip has it; to ask would end the authentication.
        if $0.identification == nil {
          $0.learn(UltralightIdentification(chip: UltralightIdentification.withAuthentication))
        }
      }
    }
  }

  /// Writes another key: four pages, and an authentication with it, which remains valid. After an
  /// authentication, there is one more exchange, and two more if pages are protected.
  ///
  /// Once begun, the change is completed even if the task is cancelled. A tag that is removed
  /// between the pages has a mixture of both keys. Therefore the change first opens pages that are
  /// protected, and protects them again after the tag has authenticated with the new key.
  ///
  /// - Parameter key: see ``authenticate(key:)``.
  /// - Throws: ``NFCError/Code/readOnly`` if the pages are locked, or are protected and there was
  ///   no authentication with the old key, or if the protection is locked: nothing has changed then.
  public func changeKey(_ key: [UInt8]) async throws {
    guard key.count == TwoKeyTripleDES.keySize else {
      throw NFCError(.invalidParameter, "a key has 16 bytes, not \(key.count)")
    }
    let stored = UltralightCAuthentication.stored(key)
    try await handle.performCommand { link in
      // Without an authentication, the tag accepts the first page only if none is protected.
      let isAuthenticated = handle.knowledge.withLock { $0.authentication != nil }
      let protection = isAuthenticated ? try UltralightCAuthentication.protection(link) : nil
      try link.uninterrupted(recovery: UltralightCAuthentication.recovery) { hasChanged in
        handle.knowledge.withLock { $0.authentication = nil }
        func write(_ data: some Sequence<UInt8>, to page: UInt8) throws {
          try UltralightProcedure.write(secret: Array(data), to: page, link)
          hasChanged = true
        }
        let settingsPage = UltralightCAuthentication.firstProtectedPage
        if let protection {
          try write([UltralightCProtectionPlan.noPage] + protection.dropFirst(), to: settingsPage)
        }
        for (index, page) in UltralightCAuthentication.keyPages.enumerated() {
          let first = index * Type2Memory.pageSize
          try write(stored[first..<first + Type2Memory.pageSize], to: page)
        }
        // A key counts from the next selection on (MF0ICU2 data sheet, 7.5.7).
        try UltralightProcedure.halt(link)
        try link.selectPlainly()
        try UltralightCAuthentication.run(key: key, link)
        if let protection { try write(protection, to: settingsPage) }
        handle.knowledge.withLock {
          $0.authentication = .tripleDES(key)
          if $0.identification == nil {
            $0.learn(UltralightIdentification(chip: UltralightIdentification.withAuthentication))
          }
          $0.wasSelected()
        }
      }
    }
  }
}

/// Three passes: the tag's number, both numbers, the reader's number, each rotated by a byte on its way back.
enum UltralightCAuthentication {
  static let keyPages: ClosedRange<UInt8> = 0x2C...0x2F
  /// The page of AUTH0 (MF0ICU2 data sheet, 7.5.8).
  static let firstProtectedPage: UInt8 = 0x2A

  /// Returns the page of AUTH0 if it protects pages: one exchange.
  static func protection(_ link: TagLink) throws -> [UInt8]? {
    let page = try Array(
      UltralightExchange.send(.read(page: firstProtectedPage), link).prefix(Type2Memory.pageSize))
    return page.first.map { $0 < UltralightCProtectionPlan.noPage } == true ? page : nil
  }

  /// Returns a key as its pages hold it: each half with its last byte first (MF0ICU2 data sheet,
  /// 7.5.7).
  static func stored(_ key: [UInt8]) -> [UInt8] {
    let half = TwoKeyTripleDES.blockSize
    return key.prefix(half).reversed() + key.suffix(half).reversed()
  }

  /// After a change of the key that was broken off.
  static let recovery =
    "request the change again, with the new key, with the old one, and without one; pages are unprotected "
    + "until a key is complete, and may have to be protected again"

  private static let wrongKey = NFCError(.authenticationFailed, "the key is wrong")

  static func run(key: [UInt8], _ link: TagLink) throws {
    try run(key: key, randomNumber: link.random(TwoKeyTripleDES.blockSize), link)
  }

  static func run(key: [UInt8], randomNumber: [UInt8], _ link: TagLink) throws {
    guard key.count == TwoKeyTripleDES.keySize else {
      throw NFCError(.invalidParameter, "a key has 16 bytes, not \(key.count)")
    }
    let size = TwoKeyTripleDES.blockSize
    let challenge = try UltralightExchange.send(.authenticate, link)
    guard let token = token(challenge: challenge, key: key, randomNumber: randomNumber)
    else { throw NFCError(.invalidParameter, "the key cannot be used") }
    let answer: [UInt8]
    do {
      answer = try UltralightExchange.send(.authenticateContinued(token), link)
    } catch let error as NFCError where error.isRefusalOrSilence {
      try UltralightProcedure.throwIfSilent(error, wrongKey.reason, link)
      throw NFCError(wrongKey.code, wrongKey.reason, cause: error.cause)
    }
    guard
      TwoKeyTripleDES.decrypt(answer, key: key, initialValue: Array(token.suffix(size)))
        == rotated(randomNumber)
    else { throw wrongKey }
  }

  /// ek(RndA ‖ RndB′).
  static func token(challenge: [UInt8], key: [UInt8], randomNumber: [UInt8]) -> [UInt8]? {
    let zero = [UInt8](repeating: 0, count: TwoKeyTripleDES.blockSize)
    guard
      let number = TwoKeyTripleDES.decrypt(challenge, key: key, initialValue: zero)
    else { return nil }
    return TwoKeyTripleDES.encrypt(
      randomNumber + rotated(number), key: key, initialValue: challenge)
  }

  private static func rotated(_ bytes: [UInt8]) -> [UInt8] {
    Array(bytes.dropFirst() + bytes.prefix(1))
  }
}
