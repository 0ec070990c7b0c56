import NFC
import SecureTags
import TagTools

/// Sets or removes the password protection of an ISO 15693 tag.
struct VicinityProtection: Sendable {
  /// The protection to set.
  struct Request: Sendable {
    var password: [UInt8]
    /// The first block.
    var from: Int
    var protectsReading: Bool
  }

  let tag: any ISO15693Tag
  let kind: VicinityPassword
  let request: Request?
  /// The current password of the tag, or `nil` for the factory password.
  let current: [UInt8]?

  /// Plans the change. Writes nothing.
  ///
  /// - Throws: ``Failure`` for an operation that the chip does not support, or for a password of the wrong
  ///   length; `NFCError` `notAuthenticated` for a protected tag if its password is not specified.
  func plan() async throws -> ChangePlan {
    if let request { try kind.check(request.password, "--password", tag) }
    if let current {
      try kind.check(current, request == nil ? "--tag-password" : "--current-password", tag)
    }
    let (plan, isProtected) = try await asking {
      switch kind {
      case .icode:
        try await ICODETag(tag).planProtection(
          icode, current: current.map { ICODEPasswords(SecretKey($0)) } ?? .factory)
      case .st25:
        try await ST25Tag(tag).planProtection(st25, current: current.map { SecretKey($0) })
      }
    }
    guard !isProtected || current != nil else {
      throw NFCError(.notAuthenticated, "the tag is protected by a password already")
    }
    return plan
  }

  private var icode: ICODEProtection? {
    request.map {
      ICODEProtection(
        passwords: ICODEPasswords(SecretKey($0.password)), firstBlock: $0.from,
        protectsReading: $0.protectsReading)
    }
  }

  private var st25: ST25Protection? {
    request.map {
      ST25Protection(
        password: SecretKey($0.password), firstBlock: $0.from, protectsReading: $0.protectsReading)
    }
  }

  /// Adds the option's name to the error about an area that the chip cannot protect.
  private func asking<Result: Sendable>(
    _ body: () async throws -> Result
  ) async throws -> Result {
    do {
      return try await body()
    } catch let error as NFCError where error.code == .invalidParameter {
      throw Failure(
        .usage, error.reason, tag: tag.identifier.tagName,
        advice: "give another --from, --read or --password")
    }
  }
}
