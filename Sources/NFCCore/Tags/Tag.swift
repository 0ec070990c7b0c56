/// A tag that a reader has found.
///
/// A tag belongs to one connection: once it has left, the reader was lost, or polling was
/// restarted, every call throws ``NFCError/Code/tagConnectionLost`` or the cause. It never talks to
/// another tag by mistake.
///
/// Do not declare conformances to `Tag` or to the protocols that refine it: they are for using the
/// tags that a reader finds, and later versions add requirements. For tests, use the tags of the
/// product `VirtualNFC`; a new kind of reader is a ``ReaderDriver``.
public protocol Tag: ChangeableTag {
  /// The UID, IDm, PUPI or serial number, most significant byte first.
  var identifier: [UInt8] { get }
  /// The reader that has found the tag.
  var reader: Reader { get }
  /// The technology of the tag.
  var technology: TagTechnology { get }
  /// Whether commands can still reach the tag, as far as is known without asking it; see
  /// ``isPresent()``.
  var isAvailable: Bool { get async }

  /// Connects to this tag: wakes it, and puts the previously connected one to sleep.
  ///
  /// At most one activation over the air; none if the tag is already connected.
  ///
  /// - Throws: ``NFCError/Code/tagConnectionLost`` if it has left.
  func connect() async throws

  /// Asks the connected tag whether it is still present: one to three exchanges, with the cheapest
  /// command that its kind supports.
  ///
  /// A card of ISO/IEC 14443-4 keeps what is selected and unlocked in it. A MIFARE Classic and an
  /// iCLASS are woken again for this: a Classic has to be authenticated again.
  ///
  /// - Returns: `false` if the tag has left; it is then lost permanently.
  /// - Throws: ``NFCError/Code/tagNotConnected`` for a tag that is not connected;
  ///   ``NFCError/Code/readerLost``; `CancellationError`.
  func isPresent() async throws -> Bool

  /// Runs several commands without interruption: no other command to this reader, from any task,
  /// comes between them.
  ///
  /// ```swift
  /// let value = try await tag.exclusively { link in
  ///   _ = try link.transceive([0xA5, 0x00, 0x01, 0x00, 0x00, 0x00])
  ///   return try link.transceive([0x39, 0x00])
  /// }
  /// ```
  ///
  /// `body` runs on the reader's own thread from its first to its last exchange, where an exchange
  /// costs the same as in C. Other calls on the reader wait meanwhile, so `body` should only talk
  /// to the tag. If the task is cancelled, the next exchange ends it.
  ///
  /// - Throws: what `body` throws; ``NFCError/Code/tagNotConnected`` for a tag that is not
  ///   connected. As with a single command, the error of the last exchange decides whether the tag
  ///   is lost.
  func exclusively<Result: Sendable>(
    _ body: @Sendable (TagLink) throws -> Result
  ) async throws -> Result
}
