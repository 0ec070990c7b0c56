import SwiftNFCJSONText
import NFC
import SecureTags

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

  /// Returns the steps that ``run()`` will perform.
  ///
  /// - Throws: ``Failure`` for an operation that the chip does not support, or for a password of the wrong
  ///   length; `NFCError` `notAuthenticated` for a protected tag if its password is not specified.
  func plan() async throws -> [ProtectionStep] {
    if let request { try kind.check(request.password, "--password", tag) }
    if let current {
      try kind.check(current, request == nil ? "--password" : "--current-password", tag)
    }
    switch kind {
    case .icode:
      let plan = try await asking { try await ICODETag(tag).protectionPlan(icode) }
      try checkPassword(isProtected: !plan.before.isOpen)
      guard !plan.steps.isEmpty else { return [] }
      let after = icode.map { "\($0.description)" } ?? "none"
      return ProtectionStep.passwords(isNew: request != nil) + [
        ProtectionStep("password protection", "\(plan.before)", after)
      ]
    case .st25:
      let plan = try await asking { try await ST25Tag(tag).protectionPlan(st25) }
      try checkPassword(isProtected: plan.areasBefore.contains { $0.access != .open })
      guard !plan.steps.isEmpty else { return [] }
      return ProtectionStep.passwords(isNew: request != nil) + Self.steps(plan)
    }
  }

  /// Performs the plan.
  ///
  /// - Throws: `NFCError` `authenticationFailed` for a wrong password. Nothing is changed in that case.
  func run() async throws {
    switch kind {
    case .icode:
      let tag = try await ICODETag(tag)
      try await tag.protect(
        try await tag.protectionPlan(icode), accepting: [.forgetsPasswords],
        current: current.map { ICODEPasswords(SecretKey($0)) } ?? .factory)
    case .st25:
      let tag = try await ST25Tag(tag)
      try await tag.protect(
        try await tag.protectionPlan(st25), accepting: [.forgetsPasswords],
        current: current.map { SecretKey($0) })
    }
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

  /// Returns one step for each area whose access or position changes.
  private static func steps(_ plan: ST25ProtectionPlan) -> [ProtectionStep] {
    plan.areasAfter.enumerated().compactMap { index, area in
      let old = plan.areasBefore.indices.contains(index) ? plan.areasBefore[index] : nil
      guard old != area else { return nil }
      return ProtectionStep("area \(index + 1)", old.map(words) ?? "not there", words(area))
    }
  }

  private static func words(_ area: ST25Area) -> String {
    "blocks \(NumberList.text(Array(area.blocks))), \(area)"
  }

  private func checkPassword(isProtected: Bool) throws {
    guard !isProtected || current != nil else {
      throw NFCError(.notAuthenticated, "the tag is protected by a password already")
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

extension ICODEProtection {
  fileprivate var description: String {
    "to \(protectsReading ? "read and write" : "write") from block \(firstBlock) on"
  }
}

/// One change of a plan, described for people. Passwords are not shown.
struct ProtectionStep: Sendable {
  var name: String
  var before: String?
  var after: String?

  init(_ name: String, _ before: String? = nil, _ after: String? = nil) {
    self.name = name
    self.before = before
    self.after = after
  }

  /// Returns the steps for sending the tag's current password and, if `isNew`, the new one.
  static func passwords(isNew: Bool) -> [ProtectionStep] {
    let first = ProtectionStep("the tag receives its current password")
    return isNew ? [first, ProtectionStep("the new password, not shown")] : [first]
  }

  var text: String {
    guard let before, let after else { return name }
    return "\(name): \(before) → \(after)"
  }

  var json: JSONValue {
    .members([
      "step": .string(name), "before": before.map { .string($0) },
      "after": after.map { .string($0) }, "secret": after == nil ? .bool(true) : nil,
    ])
  }
}
