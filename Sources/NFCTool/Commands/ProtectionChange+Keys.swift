import SwiftNFCJSONText
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
          .usage, "this tag has nothing for --pack", tag: tag, advice: "leave it out")
      }
    }
    if let password {
      try checkKey(password, request == nil ? "--password" : "--current-password", tag)
    }
  }

  /// Shows the plan if it was requested, and returns whether it was.
  private func shows(
    _ steps: [(text: String, json: JSONValue)], _ effects: [String], _ options: GlobalOptions
  ) throws -> Bool {
    guard isPlan else { return false }
    for step in steps { try Output.line(options.json ? step.json.text : step.text) }
    guard !options.json else { return true }
    for effect in effects { try Output.line("cannot be undone: \(effect)") }
    if steps.isEmpty { try Output.line("nothing to be written") }
    return true
  }

  private static func line(
    page: Int, _ before: [UInt8]?, _ after: [UInt8]?
  ) -> (text: String, json: JSONValue) {
    let text =
      if let before, let after {
        "page \(page): \(before.hexadecimal) → \(after.hexadecimal)"
      } else {
        "page \(page): a part of the key, not shown"
      }
    return (
      text,
      .members([
        "page": .integer(page), "before": before.map { .bytes($0) },
        "after": after.map { .bytes($0) }, "secret": after == nil ? .bool(true) : nil,
      ])
    )
  }

  private static let proof = (
    text: "the tag is asked to prove the new key",
    json: JSONValue.members(["authenticate": .bool(true)])
  )

  /// Returns whether the protection was changed. It is not changed if only the plan is shown.
  func changeTripleDES(
    _ commands: UltralightCommands, _ tag: SelectedTag<Kind>, _ options: GlobalOptions
  ) async throws -> Bool {
    try checkKeys(tag.name)
    guard request?.attempts ?? 0 == 0 else {
      throw Failure(
        .usage, "this tag has nothing for --attempts", tag: tag.name, advice: "leave it out")
    }
    let protection = try request.map {
      try UltralightCProtection(
        key: $0.password, firstPage: $0.from ?? Self.firstUserPage,
        protectsReading: $0.protectsReading)
    }
    let plan = try await naming(on: tag) {
      try await commands.protectionPlan(protection, key: password)
    }
    let steps = plan.steps.map { step in
      switch step {
      case .authenticate: Self.proof
      case .write(let page, let before, let after): Self.line(page: page, before, after)
      }
    }
    guard
      try !shows(steps, plan.irreversibleEffects.map(\.description), options)
    else { return false }
    try await naming(on: tag) {
      try await commands.protect(
        plan, accepting: Set(plan.irreversibleEffects), key: password)
    }
    return true
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
    let steps = plan.steps.map { step in
      switch step {
      case .authenticate: Self.proof
      case .write(let page, let before, let after): Self.line(page: page, before, after)
      }
    }
    guard
      try !shows(steps, plan.irreversibleEffects.map(\.description), options)
    else { return false }
    var effects: Set<UltralightAESProtectionPlan.IrreversibleEffect> = [.forgetsKey]
    if limit > 0 { effects.insert(.mayClosePermanently) }
    try await naming(on: tag) { [effects] in
      try await secured.protect(plan, accepting: effects, key: key)
    }
    return true
  }
}
