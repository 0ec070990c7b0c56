import NFC
import SecureTags

/// The protection with a key instead of a password, for MIFARE Ultralight C and Ultralight AES.
extension ProtectionChange {
  static let keySize = UltralightAESTag.keySize

  private func checkKey(_ key: [UInt8], _ option: String, _ tag: String) throws {
    guard key.count == Self.keySize else {
      throw Failure(
        .usage, "\(option) has \(key.count) bytes, and this tag's key has \(Self.keySize)",
        tag: tag,
        advice: "give \(2 * Self.keySize) hexadecimal digits")
    }
  }

  private func checkKeys(_ tag: String) throws {
    if let request {
      try checkKey(request.password, "--password", tag)
      guard request.pack == nil else {
        throw Failure(
          .usage, "this tag has nothing for --pack", tag: tag, advice: "leave --pack out")
      }
    }
    if let password {
      try checkKey(password, request == nil ? "--tag-password" : "--current-password", tag)
    }
  }

  /// Returns whether the protection was changed. It is not changed if only the plan is shown.
  func changeTripleDES(
    _ commands: UltralightCommands, _ tag: SelectedTag<Kind>, _ options: GlobalOptions
  ) async throws -> Bool {
    try checkKeys(tag.name)
    guard request?.attempts ?? 0 == 0 else {
      throw Failure(
        .usage, "this tag has nothing for --attempts", tag: tag.name,
        advice: "leave --attempts out")
    }
    let protection = try request.map {
      try UltralightCProtection(
        key: $0.password, firstPage: $0.from ?? Self.firstUserPage,
        protectsReading: $0.protectsReading)
    }
    let plan = try await naming(on: tag) {
      try await commands.protectionPlan(protection, key: password)
    }
    return try await perform(plan, tag, options)
  }

  /// Returns whether the protection was changed. It is not changed if only the plan is shown.
  func changeAES(
    _ miFare: any MiFareTag, _ tag: SelectedTag<Kind>, _ options: GlobalOptions
  ) async throws -> Bool {
    try checkKeys(tag.name)
    let limit = request?.attempts ?? 0
    let protection = try request.map {
      try UltralightAESProtection(
        key: SecretKey($0.password), firstPage: $0.from ?? Self.firstUserPage,
        protectsReading: $0.protectsReading, attemptLimit: limit == 0 ? nil : limit)
    }
    let secured = try await UltralightAESTag(miFare)
    let key = password.map { SecretKey($0) }
    let plan = try await naming(on: tag) {
      try await secured.protectionPlan(protection, key: key)
    }
    return try await perform(plan, tag, options)
  }
}
