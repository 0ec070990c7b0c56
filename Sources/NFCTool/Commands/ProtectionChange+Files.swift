import NFC
import SecureTags

/// The protection of the NDEF file of an ST25TA or M24SR.
extension ProtectionChange {
  /// ST's maker code in the UID of a card (ISO/IEC 7816-6). The card itself is not queried.
  private static let stMicroelectronics: UInt8 = 0x02
  private static let uidLength = 7

  static func mayHaveFilePassword(_ card: any ISO7816Tag) -> Bool {
    card.identifier.count == uidLength && card.identifier.first == stMicroelectronics
  }

  /// Returns whether the protection was changed. It is not changed if only the plan is shown.
  func change(
    _ card: any ISO7816Tag, _ tag: SelectedTag<Kind>, _ options: GlobalOptions
  ) async throws -> Bool {
    let unknown = [
      ("--pack", request?.pack != nil), ("--attempts", (request?.attempts ?? 0) > 0),
      ("--from", (request?.from ?? 0) != 0),
    ].first(where: \.1)
    if let unknown {
      throw Failure(
        .usage, "this tag has nothing for \(unknown.0)", tag: tag.name,
        advice: "leave \(unknown.0) out")
    }
    try checkFilePassword(request?.password, "--password", tag.name)
    try checkFilePassword(password, passwordOption, tag.name)
    let file = try await ST25TATag(card)
    let protection = request.map {
      let secret = SecretKey($0.password)
      return ST25TAProtection(
        writePassword: secret, readPassword: $0.protectsReading ? secret : nil)
    }
    let (plan, isProtected) = try await naming(on: tag) {
      try await file.planProtection(
        protection, writePassword: password.map { SecretKey($0) } ?? ST25TATag.factoryPassword)
    }
    guard plan.steps.isEmpty || !isProtected || password != nil else {
      let failure = Failure(
        .notAllowed, "the tag is protected by a password already", tag: tag.name,
        advice: "give it with \(passwordOption)")
      if request != nil { throw MissingPassword(failure: failure) }
      throw failure
    }
    return try await perform(plan, tag, options)
  }

  private func checkFilePassword(_ password: [UInt8]?, _ option: String, _ tag: String) throws {
    guard let password, password.count != ST25TATag.passwordSize else { return }
    throw Failure(
      .usage,
      "\(option) has \(password.count) bytes, and this tag's password has \(ST25TATag.passwordSize)",
      tag: tag, advice: "give \(2 * ST25TATag.passwordSize) hexadecimal digits")
  }
}
