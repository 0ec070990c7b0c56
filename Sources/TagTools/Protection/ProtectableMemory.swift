import NFC
import SecureTags

/// The memory of a tag as its protection sees it: what has the password or key.
enum ProtectableMemory: Sendable {
  case ultralight(UltralightCommands, any MiFareTag)
  case vicinity(any ISO15693Tag, VicinityPassword)
  case file(any ISO7816Tag)

  init?(_ tag: DetectedTag) {
    switch tag {
    case .miFare(let tag):
      guard let commands = tag.ultralight else { return nil }
      self = .ultralight(commands, tag)
    case .iso15693(let tag):
      // The product may be one of several that share a UID. They have the same passwords.
      let product = ISO15693Chip.tagProduct(uid: tag.identifier)
      guard let password = VicinityPassword(product) else { return nil }
      self = .vicinity(tag, password)
    case .iso7816(let card):
      guard CardChip.isOfST(uid: card.identifier) else { return nil }
      self = .file(card)
    default: return nil
    }
  }

  /// Whether a wrong password may close the tag, as far as it shows that. An ST25TA accepts three in each session; an
  /// Ultralight C, an ICODE and an ST25 any number.
  var mayLimitAttempts: Bool {
    get async throws {
      guard case .ultralight(let commands, let miFare) = self else { return false }
      do {
        switch try await commands.secret() {
        case .tripleDES: return false
        case .aes:
          let tag = try await UltralightAESTag(miFare)
          return try await tag.protectionPlan(nil, key: nil).limitsAttempts
        default: return try await commands.protectionPlan(nil).limitsAttempts
        }
      } catch let error as NFCError where error.group != .connection {
        // The settings cannot be read either, and so the limit is not known.
        return true
      }
    }
  }

  func plan(
    _ protection: TagProtection?, current: SecretKey?, for tag: DetectedTag
  ) async throws -> ChangePlan {
    let request = ProtectionRequest(protection, current, tag)
    switch self {
    case .ultralight(let commands, let miFare):
      return switch try await commands.secret() {
      case .tripleDES: try await request.tripleDESPlan(commands)
      case .aes: try await request.aesPlan(miFare)
      default: try await request.passwordPlan(commands)
      }
    case .vicinity(let vicinity, let password):
      return try await request.plan(vicinity, password)
    case .file(let card): return try await request.plan(card)
    }
  }
}

/// A protection, checked against what the family of the tag has.
private struct ProtectionRequest {
  let protection: TagProtection?
  let current: SecretKey?
  let tag: DetectedTag

  init(_ protection: TagProtection?, _ current: SecretKey?, _ tag: DetectedTag) {
    self.protection = protection
    self.current = current
    self.tag = tag
  }

  private var firstPage: Int { protection?.first ?? TagProtection.firstUserPage }

  /// Throws if the protection has a part that the tag does not have.
  private func check(without parts: TagProtectionError.Part...) throws {
    guard let protection else { return }
    for part in parts {
      let isGiven =
        switch part {
        case .acknowledge: protection.acknowledge != nil
        case .attemptLimit: protection.attemptLimit != nil
        case .first: (protection.first ?? 0) != 0
        }
      if isGiven { throw TagProtectionError.unsupported(part) }
    }
  }

  private func check(sizes: [Int], isKey: Bool = false) throws {
    let noun = isKey ? "key" : "password"
    let words = sizes.map(String.init).joined(separator: " or ")
    for (name, secret) in [("new", protection?.password), ("current", current)] {
      guard let secret, !sizes.contains(secret.count) else { continue }
      throw TagSecretError(
        .passwordSize(sizes),
        "the \(name) \(noun) has \(secret.count) bytes, and this tag's \(noun) has \(words)",
        identifier: tag.identifier)
    }
  }

  // MARK: NTAG and Ultralight

  func passwordPlan(_ commands: UltralightCommands) async throws -> ChangePlan {
    try check(sizes: [UltralightProtection.passwordSize])
    let limits = UltralightProtection.attemptLimits
    if let limit = protection?.attemptLimit, limit > limits.upperBound {
      throw TagProtectionError.attemptLimit(maximum: limits.upperBound)
    }
    let wanted = try protection.map {
      try UltralightProtection(
        password: $0.password.bytes, passwordAcknowledge: $0.acknowledge ?? [0x00, 0x00],
        firstPage: firstPage, protectsReading: $0.protectsReading, attemptLimit: $0.attemptLimit)
    }
    return try await commands.protectionPlan(wanted, password: current?.bytes)
  }

  func tripleDESPlan(_ commands: UltralightCommands) async throws -> ChangePlan {
    try check(sizes: [UltralightAESTag.keySize], isKey: true)
    try check(without: .acknowledge, .attemptLimit)
    let wanted = try protection.map {
      try UltralightCProtection(
        key: $0.password.bytes, firstPage: firstPage, protectsReading: $0.protectsReading)
    }
    return try await commands.protectionPlan(wanted, key: current?.bytes)
  }

  func aesPlan(_ miFare: any MiFareTag) async throws -> ChangePlan {
    try check(sizes: [UltralightAESTag.keySize], isKey: true)
    try check(without: .acknowledge)
    let wanted = try protection.map {
      try UltralightAESProtection(
        key: $0.password, firstPage: firstPage, protectsReading: $0.protectsReading,
        attemptLimit: $0.attemptLimit)
    }
    return try await UltralightAESTag(miFare).protectionPlan(wanted, key: current)
  }

  // MARK: ISO 15693

  func plan(_ vicinity: any ISO15693Tag, _ kind: VicinityPassword) async throws -> ChangePlan {
    try check(without: .acknowledge, .attemptLimit)
    try check(sizes: kind.sizes)
    let (plan, isProtected) =
      switch kind {
      case .icode:
        try await ICODETag(vicinity).planProtection(
          protection.map {
            ICODEProtection(
              passwords: ICODEPasswords($0.password), firstBlock: $0.first ?? 0,
              protectsReading: $0.protectsReading)
          }, current: current.map { ICODEPasswords($0) } ?? .factory)
      case .st25:
        try await ST25Tag(vicinity).planProtection(
          protection.map {
            ST25Protection(
              password: $0.password, firstBlock: $0.first ?? 0,
              protectsReading: $0.protectsReading)
          }, current: current)
      }
    guard !isProtected || current != nil else { throw Self.isProtected }
    return plan
  }

  // MARK: ST25TA

  func plan(_ card: any ISO7816Tag) async throws -> ChangePlan {
    try check(without: .acknowledge, .attemptLimit, .first)
    try check(sizes: [ST25TATag.passwordSize])
    let (plan, isProtected) = try await ST25TATag(card).planProtection(
      protection.map {
        ST25TAProtection(
          writePassword: $0.password, readPassword: $0.protectsReading ? $0.password : nil)
      }, writePassword: current ?? ST25TATag.factoryPassword)
    guard plan.steps.isEmpty || !isProtected || current != nil else { throw Self.isProtected }
    return plan
  }

  private static let isProtected = NFCError(
    .notAuthenticated, "the tag is protected by a password already")
}

extension SecretKey {
  fileprivate var bytes: [UInt8] { withUnsafeBytes { Array($0) } }
}
