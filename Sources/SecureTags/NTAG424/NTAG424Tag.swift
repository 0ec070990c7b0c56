import NFCCore
import SUNMessage
import Synchronization

/// An NTAG 424 DNA: its files, keys and signed links.
///
/// ```swift
/// let chip = try await NTAG424Tag(tag)
/// let link = try NTAG424Link(SUNTemplate("https://example.com/?p={picc}&c={mac}"))
/// try await chip.setUp(NTAG424Setup(link: link, keys: [0: key]))
/// ```
///
/// What an authentication proves holds until the tag refuses something or a command fails. While a tag is used by
/// this, nothing else should be sent to it: reading NDEF ends the session.
///
/// Source: NT4H2421Gx data sheet.
public final class NTAG424Tag: Sendable {
  /// The tag that the chip is.
  public let tag: any Tag
  private let random: RandomBytes
  private let state = Mutex(DESFireState.unknown)

  private static let productName = "NTAG 424 DNA"

  /// - Throws: ``NFCError/Code/wrongTag`` for another tag. Asks it for its version if that is not known yet.
  public convenience init(_ tag: DetectedTag) async throws {
    try await self.init(tag, random: RandomSource.system)
  }

  /// - Parameter random: where the reader's challenges come from.
  package init(_ tag: DetectedTag, random: @escaping RandomBytes) async throws {
    let product: TagProduct?
    switch tag {
    case .miFare(let tag): product = try await tag.product()
    case .iso7816(let tag): product = try await tag.product()
    default: product = nil
    }
    guard product?.name == Self.productName else {
      throw NFCError(.wrongTag, "the tag is not an \(Self.productName)")
    }
    self.tag = tag.tag
    self.random = random
  }

  /// Ends what an authentication has proved: one exchange, which selects the application again, and none without a
  /// session. A tag stays in its session when a program lets go of a PC/SC reader, and another one finds it there.
  ///
  /// - Throws: ``NFCError/Code/wrongTag`` if the chip's application is no longer there;
  ///   ``NFCError/Code/tagConnectionLost``.
  public func endSession() async throws {
    guard state.withLock({ $0.session != nil }) else { return }
    try await perform { try $0.select() }
  }

  /// Runs commands as one on the reader's thread, in the chip's application.
  func perform<Result: Sendable>(
    _ body: @Sendable (inout NTAG424Procedure) throws -> Result
  ) async throws -> Result {
    try await tag.exclusively { [self] link in
      var procedure = NTAG424Procedure(link, state.withLock { $0 }, random)
      defer { state.withLock { $0 = procedure.commands.state } }
      // Only a session shows that the application is still selected.
      if procedure.commands.state.session == nil { try procedure.select() }
      return try body(&procedure)
    }
  }

  /// Proves a key: two exchanges, and one that selects the application.
  ///
  /// - Parameter number: 0 to 4; 0 is the master key.
  /// - Throws: ``NFCError/Code/authenticationFailed`` for a wrong key, which the chip counts: after 1000 that were
  ///   wrong, unless its configuration says otherwise, it takes this key no more.
  public func authenticate(_ number: Int, _ key: DESFireKey) async throws {
    try await perform { try $0.authenticate(number, key) }
  }

  /// One exchange.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for a file number that no chip has; ``NFCError/Code/tagRefused``
  ///   if there is no such file.
  public func fileSettings(_ file: Int) async throws -> NTAG424FileSettings {
    try await perform { try $0.fileSettings(file) }
  }

  /// Changes who may read and write a file, and what the chip puts in: GetFileSettings and one exchange, with the
  /// key that the file's settings name.
  ///
  /// Rights that are given to nobody **cannot be had back**.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for a file number that no chip has;
  ///   ``NFCError/Code/notAuthenticated`` without a session of the key that the settings name;
  ///   ``NFCError/Code/tagRefused`` for settings that the chip does not take.
  public func changeFileSettings(_ file: Int, to settings: NTAG424FileSettings) async throws {
    try await perform { procedure in
      let before = try procedure.fileSettings(file)
      try procedure.changeFileSettings(file, from: before, to: settings)
    }
  }

  /// Reads a file as it was written, or without a session with what the chip puts in, which is then counted:
  /// GetFileSettings, and one exchange for each 192 bytes.
  ///
  /// - Parameter count: `nil` for all to the end.
  /// - Throws: ``NFCError/Code/invalidParameter`` for a file number that no chip has;
  ///   ``NFCError/Code/notAuthenticated`` if the rights ask for another key; ``NFCError/Code/tagRefused`` if there
  ///   is no such file.
  public func readData(file: Int, offset: Int = 0, count: Int? = nil) async throws -> [UInt8] {
    try await perform { procedure in
      let settings = try procedure.fileSettings(file)
      return try procedure.readData(file, settings, offset: offset, count: count)
    }
  }

  /// Writes to a file: GetFileSettings, and one exchange for each 192 bytes. One that is torn off leaves up to 128
  /// bytes whole or as they were (data sheet, 8.6).
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for a file number that no chip has;
  ///   ``NFCError/Code/notAuthenticated`` if the rights ask for another key; ``NFCError/Code/tagRefused`` if there
  ///   is no such file.
  public func writeData(file: Int, offset: Int = 0, _ data: [UInt8]) async throws {
    try await perform { procedure in
      let settings = try procedure.fileSettings(file)
      try procedure.writeData(file, settings, offset: offset, data)
    }
  }

  /// How often the NDEF file was read: one exchange, with the key that its settings name.
  ///
  /// - Throws: ``NFCError/Code/unsupported`` if the NDEF file is not dynamic; ``NFCError/Code/notAuthenticated``
  ///   without the key that its settings name.
  public func readCounter() async throws -> Int {
    try await perform { try $0.readCounter() }
  }

  /// The UID, also of a chip that shows another one at each activation: one exchange in a session.
  ///
  /// - Throws: ``NFCError/Code/notAuthenticated`` without a session.
  public func uid() async throws -> [UInt8] {
    try await perform { try $0.uid() }
  }

  /// One exchange.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for a key number that the chip has not.
  public func keyVersion(_ number: Int) async throws -> UInt8 {
    try await perform { try $0.keyVersion(number) }
  }

  /// How the chip enciphers and signs: LRP after ``switchToLRPPermanently()``. An authentication of this object shows
  /// it.
  public var mode: SUNMode { state.withLock { $0.usesLRP } ? .lrp : .aes }

  /// Switches the chip to LRP **for good**: it takes EV2's authentication no more, and ends Secure Dynamic Messaging,
  /// so that a link has to be set up again (NT4H2421Gx data sheet, 9 and 10.5.1). One exchange in a session of key 0,
  /// which is carried out whole or not at all and ends the session.
  ///
  /// If the answer is lost, the next authentication shows in which mode the chip is.
  ///
  /// - Throws: ``NFCError/Code/notAuthenticated`` without a session of key 0; ``NFCError/Code/invalidParameter`` for a
  ///   chip that is set to LRP already.
  public func switchToLRPPermanently() async throws {
    try await perform { try $0.commands.switchToLRP() }
  }

  /// Takes the place of a key: one exchange in a session of key 0, which is carried out whole or not at all. A change
  /// of key 0 ends the session.
  ///
  /// A key that is lost cannot be had back. If the answer is lost, only another authentication shows which key is
  /// there.
  ///
  /// - Parameter old: the key that is there; not needed for key 0.
  /// - Throws: ``NFCError/Code/authenticationFailed`` if `old` is not the key that is there.
  public func changeKey(_ number: Int, from old: DESFireKey?, to new: DESFireKey) async throws {
    try await perform { try $0.changeKey(number, from: old, to: new) }
  }
}
