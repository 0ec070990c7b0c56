import NFCCore
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
/// What an authentication proves holds until another application is selected, the card refuses something, or a
/// command fails; data then are asked for again after another ``DESFireApplication/authenticate(_:_:by:)``.
///
/// While a card is used by this, nothing else should be sent to the tag: a SELECT of ISO/IEC 7816-4, such as reading
/// NDEF begins with, ends the session.
public final class DESFireCard: Sendable {
  /// The tag that the card is.
  public let tag: any Tag
  /// `nil` if the card does not say; it is then treated as an EV1.
  public let generation: DESFireGeneration?
  /// Whether the chip can be switched to LRP, as far as public sources say: a DESFire Light, an NTAG 424 DNA.
  public let hasLRP: Bool
  private let form: DESFireCommandForm
  private let random: RandomBytes
  private let state = Mutex(DESFireState.unknown)

  /// - Parameter form: how commands are sent; a card keeps to the form of the first one that it gets.
  /// - Throws: ``NFCError/Code/wrongTag`` for a tag that is not of the family. Asks it for its version if that is
  ///   not known yet.
  public convenience init(
    _ tag: DetectedTag, form: DESFireCommandForm = .wrapped
  ) async throws {
    try await self.init(tag, form: form, random: RandomSource.system)
  }

  /// - Parameter random: where the reader's challenges come from.
  package init(
    _ tag: DetectedTag, form: DESFireCommandForm = .wrapped, random: @escaping RandomBytes
  ) async throws {
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
    hasLRP = Self.productsWithLRP.contains(product?.name ?? "")
    self.tag = tag.tag
    self.form = form
    self.random = random
  }

  private static let productsWithLRP: Set = ["MIFARE DESFire Light", "NTAG 424 DNA"]
  private static let wrongTag = NFCError(.wrongTag, "the tag is not a MIFARE DESFire")

  /// An application of the card, by its number. Nothing is sent.
  public func application(_ identifier: DESFireApplicationIdentifier) -> DESFireApplication {
    DESFireApplication(card: self, identifier: identifier)
  }

  /// The card itself as application 000000, with its master key as key 0.
  public var root: DESFireApplication { application(.card) }

  /// Ends what an authentication has proved: one exchange, which selects the card itself, and none without a session.
  ///
  /// A card stays in its session when a program lets go of a PC/SC reader. What another program sends to it next
  /// would be taken with the rights of the key that this one has proved, or refused for want of protection.
  ///
  /// - Throws: ``NFCError/Code/tagConnectionLost``; ``NFCError/Code/tagResponseError``.
  public func endSession() async throws {
    try await perform(in: nil) { procedure in
      guard procedure.state.session != nil else { return }
      procedure.state.forget()
      try procedure.select(procedure.generation == .fixed ? .fixed : .card)
    }
  }

  /// Runs commands as one on the reader's thread, in an application.
  func perform<Result: Sendable>(
    in application: DESFireApplicationIdentifier?,
    _ body: @Sendable (inout DESFireProcedure) throws -> Result
  ) async throws -> Result {
    try await tag.exclusively { [self] link in
      var procedure = DESFireProcedure(
        transport: DESFireTransport(link, form: form), generation: generation,
        state: state.withLock { $0 }, random: random)
      // Only a session shows that nobody else has selected something since.
      if procedure.state.session == nil { procedure.state.selection = nil }
      defer { state.withLock { $0 = procedure.state } }
      if let application { try procedure.select(application) }
      return try body(&procedure)
    }
  }

  /// The same for what is carried out at once and nobody wants to be in doubt of: a task that is cancelled before
  /// does not begin it, one that is cancelled meanwhile ends after it.
  func performWhole<Result: Sendable>(
    in application: DESFireApplicationIdentifier?,
    _ body: @escaping @Sendable (inout DESFireProcedure) throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    return try await Task { try await self.perform(in: application, body) }.value
  }
}

/// An application of a card: its keys and files.
///
/// A command selects it where another one was selected before, which ends what was proved there.
public struct DESFireApplication: Sendable {
  /// The card that the application is on.
  public let card: DESFireCard
  /// The identifier of the application.
  public let identifier: DESFireApplicationIdentifier

  func perform<Result: Sendable>(
    _ body: @Sendable (inout DESFireProcedure) throws -> Result
  ) async throws -> Result {
    try await card.perform(in: identifier, body)
  }

  func performWhole<Result: Sendable>(
    _ body: @escaping @Sendable (inout DESFireProcedure) throws -> Result
  ) async throws -> Result {
    try await card.performWhole(in: identifier, body)
  }

  /// Proves a key: two exchanges, and one that selects the application.
  ///
  /// - Parameters:
  ///   - number: 0 to 13; 0 is the master key.
  ///   - method: `nil` for the strongest that the card's generation has for the key's kind; a DESFire Light or an
  ///     NTAG DNA chip that was switched to LRP is found out by one exchange more, once.
  /// - Throws: ``NFCError/Code/authenticationFailed`` for a wrong key, or a card that does not prove that it has
  ///   it.
  public func authenticate(
    _ number: Int, _ key: DESFireKey, by method: DESFireAuthentication? = nil
  ) async throws {
    let code = try Self.keyNumber(number)
    let generation = card.generation
    try await perform { procedure in
      guard method == nil, generation == .fixed else {
        return try procedure.authenticate(
          code, key, by: method ?? DESFireAuthentication(key.kind, generation))
      }
      try procedure.authenticateAsConfigured(code, key)
    }
  }

  /// Of an application.
  package static let mostKeys = 14

  static func keyNumber(_ number: Int) throws -> UInt8 {
    guard (0..<mostKeys).contains(number) else {
      throw NFCError(.invalidParameter, "keys have numbers from 0 to \(mostKeys - 1)")
    }
    return UInt8(number)
  }
}
