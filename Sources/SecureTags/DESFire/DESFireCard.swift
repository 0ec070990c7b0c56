import SwiftNFCCore
import Synchronization

/// A MIFARE DESFire card, a DESFire Light or an NTAG DNA chip, with its applications, keys and files.
///
/// ```swift
/// let card = try await DESFireCard(tag)
/// let application = card.application(number)
/// try await application.authenticate(1, DESFireKey(.aes, bytes: key))
/// print(try await application.readData(file: 2))
/// ```
///
/// DESFire Light and the NTAG DNA chips have one application, ``DESFireApplicationIdentifier/fixed``:
///
/// ```swift
/// let application = try await DESFireCard(tag).application(.fixed)
/// let link = try NTAG424Link(SUNTemplate("https://example.com/?p={picc}&c={mac}"))
/// let master = try DESFireKey(.aes, bytes: key)
/// try await application.setUp(NTAG424Setup(link: link, keys: [0: master]))
/// ```
///
/// An authentication holds until another application is selected, the card refuses something, or a
/// command fails. After that, accessing data requires another
/// ``DESFireApplication/authenticate(_:_:by:)``.
///
/// While you use this object, do not send other commands to the tag: an ISO/IEC 7816-4 SELECT,
/// which reading NDEF begins with, ends the session.
public final class DESFireCard: Sendable {
  /// The tag of the card.
  public let tag: any Tag
  /// The generation of the card; `nil` if the card does not report it. The card is then treated as
  /// an EV1.
  public let generation: DESFireGeneration?
  /// Whether the chip can be switched to LRP, as far as public sources say: true of a DESFire Light
  /// and an NTAG 424 DNA.
  public let hasLRP: Bool
  /// Whether the chip is an NTAG 424 DNA, whose application has a link that the chip signs at every tap.
  package let isNTAG424: Bool
  private let random: RandomBytes?
  private let state = Mutex(DESFireState.unknown)

  /// Creates the interface of a card. Asks the tag for its version if that is not known yet.
  ///
  /// - Throws: ``NFCError/Code/wrongTag`` for a tag of another family.
  public convenience init(_ tag: DetectedTag) async throws {
    try await self.init(tag, random: nil)
  }

  /// - Parameter random: the source of the reader's challenges; `nil` for the one of the link to the tag.
  package init(_ tag: DetectedTag, random: RandomBytes?) async throws {
    let product: TagProduct?
    switch tag {
    case .miFare(let tag) where tag.family == .desfire:
      product = try await tag.product()
      generation = DESFireGeneration(product)
    case .iso7816(let tag):
      product = try await tag.product()
      generation = DESFireGeneration(product)
      guard generation != nil else { throw Self.wrongTag }
    default: throw Self.wrongTag
    }
    let features = CardChip(product)?.features ?? []
    hasLRP = features.contains(.lrp)
    isNTAG424 = features.contains(.ntag424)
    self.tag = tag.tag
    self.random = random
  }

  private static let wrongTag = NFCError(.wrongTag, "the tag is not a MIFARE DESFire")

  /// Whether the chip has been switched to LRP. Known after an authentication with this object; `false` before.
  public var usesLRP: Bool { state.withLock { $0.usesLRP } }

  /// Returns an application of the card. Sends nothing.
  public func application(_ identifier: DESFireApplicationIdentifier) -> DESFireApplication {
    DESFireApplication(card: self, identifier: identifier)
  }

  /// The card itself as application 000000, with its master key as key 0.
  public var root: DESFireApplication { application(.card) }

  /// Ends the session: one exchange, which selects the card itself; none without a session.
  ///
  /// Other commands then find the card as it was before the authentication. A reader that is closed ends the session,
  /// too: with its carrier, or by switching the card off in a PC/SC reader, after which the next program has to wait
  /// until the card has started. A cancelled task ends the session, too.
  ///
  /// - Throws: ``NFCError/Code/tagConnectionLost``; ``NFCError/Code/tagResponseError``.
  public func endSession() async throws {
    try await Task {
      try await perform(in: nil) { procedure in
        guard procedure.state.session != nil else { return }
        procedure.state.forget()
        try procedure.select(procedure.generation == .fixed ? .fixed : .card)
      }
    }.value
  }

  /// Forgets the session: the next command selects its application, which ends the session of the card, too.
  func forgetSession() { state.withLock { $0.forget() } }

  /// Runs commands in an application, without other ones between them, on the reader's thread.
  ///
  /// - Parameter isChange: whether they must not be left in doubt: a task that is cancelled before does not begin them, and
  ///   one that is cancelled meanwhile ends after them.
  func perform<Result: Sendable>(
    in application: DESFireApplicationIdentifier?, isChange: Bool = false,
    _ body: @Sendable (inout DESFireProcedure) throws -> Result
  ) async throws -> Result {
    try await tag.exclusively { [self] link in
      var procedure = DESFireProcedure(
        transport: DESFireTransport(link), generation: generation,
        state: state.withLock { $0 }, random: link.random(random))
      // Only a session proves that no other program has changed the selection since.
      if procedure.state.session == nil { procedure.state.selection = nil }
      defer { state.withLock { $0 = procedure.state } }
      guard isChange else { return try procedure.run(in: application, body) }
      return try link.uninterrupted { try procedure.run(in: application, body) }
    }
  }

  /// Runs commands that must not be left in doubt.
  func performUninterrupted<Result: Sendable>(
    in application: DESFireApplicationIdentifier?,
    _ body: @Sendable (inout DESFireProcedure) throws -> Result
  ) async throws -> Result {
    try await perform(in: application, isChange: true, body)
  }
}

extension DESFireProcedure {
  fileprivate mutating func run<Result>(
    in application: DESFireApplicationIdentifier?, _ body: (inout Self) throws -> Result
  ) throws -> Result {
    if let application { try select(application) }
    return try body(&self)
  }
}

/// An application of a card: its keys and files.
///
/// Its commands select it if another application was selected before, which ends that application's
/// session. Without a session, each command selects it; ``exclusively(_:)`` does so once for several.
public struct DESFireApplication: Sendable {
  /// The card of the application.
  public let card: DESFireCard
  /// The identifier of the application.
  public let identifier: DESFireApplicationIdentifier

  func perform<Result: Sendable>(
    _ body: @Sendable (inout DESFireProcedure) throws -> Result
  ) async throws -> Result {
    try await card.perform(in: identifier, body)
  }

  func performUninterrupted<Result: Sendable>(
    _ body: @Sendable (inout DESFireProcedure) throws -> Result
  ) async throws -> Result {
    try await card.performUninterrupted(in: identifier, body)
  }

  /// Authenticates with a key: two exchanges, and one that selects the application.
  ///
  /// - Parameters:
  ///   - number: 0 to 13; 0 is the master key.
  ///   - method: the command; `nil` for the strongest that the card's generation supports for the
  ///     kind of key. For a DESFire Light or an NTAG DNA chip that was switched to LRP, this takes
  ///     one more exchange, once. After files were read or changed in a session with EV2's messaging or
  ///     LRP, this is the command that continues the transaction.
  /// - Throws: ``NFCError/Code/authenticationFailed`` for a wrong key, or a card that does not
  ///   prove that it knows the key.
  public func authenticate(
    _ number: Int, _ key: DESFireKey, by method: DESFireAuthentication? = nil
  ) async throws {
    let code = try Self.keyNumber(number)
    let generation = card.generation
    try await perform { procedure in
      if method == nil, key.kind == .aes, let method = procedure.authenticationInTransaction {
        return try procedure.authenticate(code, key, by: method)
      }
      guard method == nil, generation == .fixed else {
        return try procedure.authenticate(
          code, key, by: method ?? DESFireAuthentication(key.kind, generation))
      }
      try procedure.authenticateAsConfigured(code, key)
    }
  }

  /// The maximum number of keys in an application.
  package static let mostKeys = 14

  static func keyNumber(_ number: Int) throws -> UInt8 {
    guard (0..<mostKeys).contains(number) else {
      throw NFCError(.invalidParameter, "keys have numbers from 0 to \(mostKeys - 1)")
    }
    return UInt8(number)
  }
}
