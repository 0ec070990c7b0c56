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

/// What setting up a link has done.
public struct NTAG424SetupResult: Sendable {
  /// The steps that were performed; none if the tag was already set up.
  public let steps: [ChangePlan.Step]
  /// The link in the form of the chip's mode; its template verifies the chip's data.
  public let link: NTAG424Link
}

/// The changes that a setup needs on a particular tag.
struct NTAG424Plan: Sendable {
  /// One change, which the tag performs completely or not at all unless it is longer than a frame. Which key is open
  /// for it, and under which settings, depends on the changes before it.
  enum Change: Hashable, Sendable {
    case changeKey(number: Int, version: UInt8)
    case write(offset: Int, data: [UInt8])
    case changeSettings(before: NTAG424FileSettings, after: NTAG424FileSettings)
  }

  let changes: [Change]
  /// The link in the form of the chip's mode; its template verifies the chip's data.
  let link: NTAG424Link

  /// The keys found on the tag: an interrupted setup may have changed some.
  let found: [Int: DESFireKey]
  let settings: NTAG424FileSettings
  /// The length of the message that the file has now, two bytes; `nil` if it is not known.
  let oldLength: [UInt8]?

  static let recovery = "a part of the setup may be done: request it again, which completes it"

  /// The changes as people see them. Keys are not shown.
  var steps: [ChangePlan.Step] {
    let file = ChangePlan.Place.named(.file, "NDEF file")
    return changes.map { change in
      switch change {
      case .changeKey(let number, let version):
        .action("a new one, version \(version)", at: ChangePlan.Place(.key, number))
      case .write(let offset, let data):
        ChangePlan.Step(
          .named(
            .offset, "NDEF file, bytes \(offset) to \(offset + data.count - 1)", number: offset,
            in: file), after: .bytes(data))
      case .changeSettings(let before, let after):
        ChangePlan.Step(
          .named(.file, "NDEF file, settings"), before: .bytes(before.encoded),
          after: .bytes(after.encoded))
      }
    }
  }

  /// What cannot be undone. The keys that are replaced are known.
  var effects: Set<IrreversibleEffect> {
    let isFinal = changes.contains {
      if case .changeSettings(let before, let after) = $0 {
        after.rights.change == .nobody && before.rights.change != .nobody
      } else {
        false
      }
    }
    return isFinal ? [.locksConfiguration] : []
  }

  func check(accepting effects: Set<IrreversibleEffect>) throws {
    try IrreversibleEffect.check(
      IrreversibleEffect.allCases.filter { self.effects.contains($0) }, acceptedBy: effects)
  }

  /// Refuses a tag that requires other steps than those of a plan that was looked at.
  func check(stepsAre steps: [ChangePlan.Step]) throws {
    guard self.steps == steps else { throw NFCError.planIsStale }
  }
}
