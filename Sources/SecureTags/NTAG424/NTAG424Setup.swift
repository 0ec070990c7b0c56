import SwiftNFCCore

/// The desired content of an NTAG 424 DNA, or of a file of a DESFire EV3: a signed link, keys, and who may write it.
public struct NTAG424Setup: Sendable {
  /// The link. A chip that was switched to LRP gets it in that form, whatever the form of its
  /// template.
  public var link: NTAG424Link
  /// The current keys, by their numbers; keys that are left out have their value on delivery. Those
  /// that the link uses are checked before anything is changed.
  public var keys: [Int: DESFireKey]
  /// The new keys.
  public var newKeys: [Int: DESFireKey]
  /// Who may read and write the link afterwards.
  public var rights: DESFireAccessRights

  /// Everyone can read the link; key 0 writes and changes it.
  public static let defaultRights = DESFireAccessRights(
    read: .everyone, write: .key(0), readWrite: .key(0), change: .key(0))

  /// Creates a setup that changes only the link unless keys are given.
  public init(
    link: NTAG424Link, keys: [Int: DESFireKey] = [:], newKeys: [Int: DESFireKey] = [:],
    rights: DESFireAccessRights = defaultRights
  ) {
    self.link = link
    self.keys = keys
    self.newKeys = newKeys
    self.rights = rights
  }

  /// Returns the same setup with keys for one tag: the given keys are master keys, from which the
  /// tag's keys are derived according to AN10922.
  ///
  /// - Parameters:
  ///   - input: the data that identifies the tag, including the UID; see
  ///     ``KeyDiversification/key(_:_:input:)``.
  ///   - exceptions: the numbers of keys that all tags share, such as the one that encrypts the
  ///     UID.
  /// - Throws: ``NFCError/Code/invalidParameter`` for an input that is empty or too long.
  public func diversified(by input: [UInt8], except exceptions: Set<Int>) throws -> NTAG424Setup {
    func own(_ keys: [Int: DESFireKey]) throws -> [Int: DESFireKey] {
      var own = keys
      for (number, key) in keys where !exceptions.contains(number) {
        own[number] = try key.diversified(by: input)
      }
      return own
    }
    var setup = self
    setup.keys = try own(keys)
    setup.newKeys = try own(newKeys)
    return setup
  }

  func oldKey(_ number: Int) -> DESFireKey { keys[number] ?? .factory(.aes) }

  /// - Throws: `invalidParameter` for keys that the tag does not have or that are of another kind,
  ///   and for rights that would make the link unreadable.
  func check() throws {
    for (number, key) in keys.merging(newKeys, uniquingKeysWith: { $1 }) {
      guard (0..<NTAG424Link.keyCount).contains(number) else {
        throw NFCError(
          .invalidParameter, "the tag has keys from 0 to \(NTAG424Link.keyCount - 1), not \(number)"
        )
      }
      guard key.kind == .aes, newKeys[number]?.kind ?? .aes == .aes else {
        throw NFCError(.invalidParameter, "this tag has AES keys")
      }
    }
    try rights.check()
    guard rights.read == .everyone || rights.readWrite == .everyone else {
      throw NFCError(.invalidParameter, "a link that cannot be read without a key is of no use")
    }
  }
}

/// The steps that a setup needs on a particular tag.
public struct NTAG424Plan: Sendable {
  /// One change, which the tag performs completely or not at all unless it is longer than a frame.
  @nonexhaustive
  public enum Step: Hashable, Sendable {
    /// Changes a key, and sets its version.
    case changeKey(number: Int, version: UInt8)
    /// Writes bytes of the NDEF file.
    case write(offset: Int, data: [UInt8])
    /// Changes the settings of the NDEF file.
    case changeSettings(before: NTAG424FileSettings, after: NTAG424FileSettings)
  }

  /// The steps in their order; none if the tag is already set up.
  public let steps: [Step]
  /// The link in the form of the chip's mode; its template verifies the chip's data.
  public let link: NTAG424Link

  /// The keys found on the tag: an interrupted setup may have changed some.
  let found: [Int: DESFireKey]
  let settings: NTAG424FileSettings
  /// The length of the message that the file has now, two bytes; `nil` if it is not known.
  let oldLength: [UInt8]?
}

extension NTAG424Tag {
  /// Plans what ``setUp(_:)`` would do. Changes nothing.
  ///
  /// Authenticates with the keys: the tag counts each wrong key as an attempt.
  ///
  /// - Throws: as ``setUp(_:)``: ``NFCError/Code/authenticationFailed``, ``NFCError/Code/readOnly``,
  ///   ``NFCError/Code/notAuthenticated``, ``NFCError/Code/invalidParameter``.
  public func plan(_ setup: NTAG424Setup) async throws -> NTAG424Plan {
    try setup.check()
    return try await perform { try $0.plan(setup) }
  }

  /// Writes the link, makes the chip insert its data, and changes keys.
  ///
  /// If a tag is removed halfway, it holds the old link, none, or the new one, and the same call
  /// completes the setup: keys 1 to 4 first, then the link with its length last, key 0 at the end.
  /// Once begun, a cancelled task ends after the last change. Steps that are not needed are left
  /// out.
  ///
  /// - Returns: the steps that were performed.
  /// - Throws: ``NFCError/Code/authenticationFailed`` for a wrong key, with its number; ``NFCError/Code/readOnly``
  ///   or ``NFCError/Code/notAuthenticated``, before anything is changed, if none of the keys may change the file.
  @discardableResult
  public func setUp(_ setup: NTAG424Setup) async throws -> NTAG424Plan {
    try setup.check()
    try Task.checkCancellation()
    // A separate task is not cancelled with this one.
    let work = Task { [self] in
      try await perform { procedure in
        let plan = try procedure.plan(setup)
        try procedure.carryOut(plan, setup)
        return plan
      }
    }
    let plan = try await work.value
    try Task.checkCancellation()
    return plan
  }
}
