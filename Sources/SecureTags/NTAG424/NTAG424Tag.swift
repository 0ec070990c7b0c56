import SwiftNFCCore
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
/// An authentication holds until the tag refuses something or a command fails. While you use this
/// object, do not send other commands to the tag: reading NDEF ends the session.
///
/// Source: NT4H2421Gx data sheet.
public final class NTAG424Tag: Sendable {
  /// The underlying tag.
  public let tag: any Tag
  private let random: RandomBytes?
  private let state = Mutex(DESFireState.unknown)

  /// - Throws: ``NFCError/Code/wrongTag`` for another tag. Requests the tag's version if it is not known
  ///   yet.
  public convenience init(_ tag: DetectedTag) async throws {
    try await self.init(tag, random: nil)
  }

  /// - Parameter random: the source of the reader's challenges; `nil` for the one of the link to the tag.
  package init(_ tag: DetectedTag, random: RandomBytes?) async throws {
    let product: TagProduct?
    switch tag {
    case .miFare(let tag): product = try await tag.product()
    case .iso7816(let tag): product = try await tag.product()
    default: product = nil
    }
    guard CardChip(product)?.features.contains(.ntag424) == true else {
      throw NFCError(.wrongTag, "the tag is not an NTAG 424 DNA")
    }
    self.tag = tag.tag
    self.random = random
  }

  /// Ends the session: one exchange, which selects the application again; none without a session. A reader that is
  /// closed ends the session, too. A cancelled task ends the session, too.
  ///
  /// - Throws: ``NFCError/Code/wrongTag`` if the chip's application is no longer there;
  ///   ``NFCError/Code/tagConnectionLost``.
  public func endSession() async throws {
    guard state.withLock({ $0.session != nil }) else { return }
    try await Task { try await perform { try $0.select() } }.value
  }

  /// Runs commands in the chip's application, without interruption, on the reader's thread.
  ///
  /// - Parameter isChange: whether a task that is cancelled meanwhile ends after `body`, so that it is
  ///   never in doubt what the chip has done.
  func perform<Result: Sendable>(
    isChange: Bool = false, _ body: @Sendable (inout NTAG424Procedure) throws -> Result
  ) async throws -> Result {
    try await tag.exclusively { [self] link in
      var procedure = NTAG424Procedure(link, state.withLock { $0 }, link.random(random))
      defer { state.withLock { $0 = procedure.commands.state } }
      // Only a session proves that the application is still selected.
      if procedure.commands.state.session == nil { try procedure.select() }
      guard isChange else { return try body(&procedure) }
      return try link.uninterrupted { try body(&procedure) }
    }
  }

  /// Authenticates with a key: two exchanges, and one that selects the application.
  ///
  /// - Parameter number: 0 to 4; 0 is the master key.
  /// - Throws: ``NFCError/Code/authenticationFailed`` for a wrong key, which the chip counts: after
  ///   1000 wrong ones, unless its configuration says otherwise, it no longer accepts the key.
  public func authenticate(_ number: Int, _ key: DESFireKey) async throws {
    try await perform { try $0.authenticate(number, key) }
  }

  /// Reads the settings of a file: one exchange.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for a file number that no chip has; ``NFCError/Code/tagRefused``
  ///   if there is no such file.
  public func fileSettings(_ file: Int) async throws -> NTAG424FileSettings {
    try await perform { try $0.fileSettings(file) }
  }

  /// Changes who may read and write a file, and what the chip inserts: GetFileSettings and one
  /// exchange, with the key that the file's settings name.
  ///
  /// Rights that are given to nobody **cannot be restored**.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for a file number that no chip has;
  ///   ``NFCError/Code/notAuthenticated`` without a session of the key that the settings name;
  ///   ``NFCError/Code/tagRefused`` for settings that the chip does not accept.
  public func changeFileSettings(_ file: Int, to settings: NTAG424FileSettings) async throws {
    try await perform(isChange: true) { procedure in
      let before = try procedure.fileSettings(file)
      try procedure.changeFileSettings(file, from: before, to: settings)
    }
  }

  /// Reads a file as it was written; without a session, reads it with the data that the chip
  /// inserts, which counts as a read. GetFileSettings, and one exchange for each 192 bytes.
  ///
  /// - Parameter count: the number of bytes; `nil` for all bytes to the end.
  /// - Throws: ``NFCError/Code/invalidParameter`` for a file number that no chip has;
  ///   ``NFCError/Code/notAuthenticated`` if the rights require another key;
  ///   ``NFCError/Code/tagRefused`` if there is no such file.
  public func readData(file: Int, offset: Int = 0, count: Int? = nil) async throws -> [UInt8] {
    try await perform { procedure in
      let settings = try procedure.fileSettings(file)
      return try procedure.readData(file, settings, offset: offset, count: count)
    }
  }

  /// Writes to a file: GetFileSettings, and one exchange for each 192 bytes. An interrupted
  /// exchange leaves up to 128 bytes completely new or unchanged (data sheet, 8.6).
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for a file number that no chip has;
  ///   ``NFCError/Code/notAuthenticated`` if the rights require another key;
  ///   ``NFCError/Code/tagRefused`` if there is no such file.
  public func writeData(file: Int, offset: Int = 0, _ data: [UInt8]) async throws {
    try await perform { procedure in
      let settings = try procedure.fileSettings(file)
      try procedure.writeData(file, settings, offset: offset, data)
    }
  }

  /// Reads the number of times that the NDEF file was read: one exchange, with the key that its settings
  /// name.
  ///
  /// - Throws: ``NFCError/Code/unsupported`` if the NDEF file is not dynamic;
  ///   ``NFCError/Code/notAuthenticated`` without the key that its settings name.
  public func readCounter() async throws -> Int {
    try await perform { try $0.readCounter() }
  }

  /// Reads the UID, even of a chip that shows a random one: one exchange in a session.
  ///
  /// - Throws: ``NFCError/Code/notAuthenticated`` without a session.
  public func uid() async throws -> [UInt8] {
    try await perform { try $0.uid() }
  }

  /// Reads the version of a key: one exchange.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for a key number that the chip does not have.
  public func keyVersion(_ number: Int) async throws -> UInt8 {
    try await perform { try $0.keyVersion(number) }
  }

  /// How the chip encrypts and signs: LRP after ``switchToLRPPermanently()``. Known after an
  /// authentication with this object.
  public var mode: SUNMode { state.withLock { $0.usesLRP } ? .lrp : .aes }

  /// **Permanently** switches the chip to LRP: it no longer accepts EV2's authentication, and
  /// Secure Dynamic Messaging ends, so that a link has to be set up again (NT4H2421Gx data sheet, 9
  /// and 10.5.1). One exchange in a session of key 0, which the chip performs completely or not at
  /// all and which ends the session.
  ///
  /// If the answer is lost, the next authentication shows the mode of the chip.
  ///
  /// - Throws: ``NFCError/Code/notAuthenticated`` without a session of key 0;
  ///   ``NFCError/Code/invalidParameter`` for a chip that already uses LRP.
  public func switchToLRPPermanently() async throws {
    try await perform(isChange: true) { try $0.commands.switchToLRP() }
  }

  /// Replaces a key: one exchange in a session of key 0, which the chip performs completely or not
  /// at all. Changing key 0 ends the session.
  ///
  /// A lost key cannot be recovered. If the answer is lost, only another authentication shows which
  /// key is valid.
  ///
  /// - Parameter old: the current key; not needed for key 0.
  /// - Throws: ``NFCError/Code/authenticationFailed`` if `old` is not the current key.
  public func changeKey(_ number: Int, from old: DESFireKey?, to new: DESFireKey) async throws {
    try await perform(isChange: true) { try $0.changeKey(number, from: old, to: new) }
  }
}
