/// A tag that polling has found, by its kind.
///
/// ```swift
/// switch tag {
/// case .miFare(let tag): try await tag.sendMiFareCommand([0x30, 0x04])
/// case .iso7816(let tag): try await tag.sendCommand(.select(aid: "D2760000850101"))
/// case .feliCa(let tag): print(tag.idm.hexadecimal)
/// case .iso15693(let tag): print(tag.icManufacturerCode)
/// case .other(let tag): print(tag.technology)
/// }
/// ```
public enum DetectedTag: Sendable {
  /// MIFARE and NTAG chips of type A, MIFARE Classic among them. A DESFire or Plus card is one too.
  case miFare(any MiFareTag)
  /// Any other card that speaks ISO/IEC 14443-4, of type A or B.
  case iso7816(any ISO7816Tag)
  /// A vicinity tag of ISO/IEC 15693.
  case iso15693(any ISO15693Tag)
  /// A FeliCa card.
  case feliCa(any FeliCaTag)
  /// What Core NFC does not know: Jewel, B', SRx, CTx, NFC Barcode, iCLASS, a type A tag of no family.
  case other(OtherTag)

  /// The tag, whatever its kind.
  public var tag: any Tag {
    switch self {
    case .miFare(let tag): tag
    case .iso7816(let tag): tag
    case .iso15693(let tag): tag
    case .feliCa(let tag): tag
    case .other(let tag): tag
    }
  }

  /// The UID, IDm, PUPI or serial number, most significant byte first.
  public var identifier: [UInt8] { tag.identifier }

  /// How the tag and the reader talk.
  public var technology: TagTechnology { tag.technology }

  /// The tag's NDEF interface; `nil` for kinds that NDEF is not defined for.
  public var ndef: (any NDEFTag)? {
    switch self {
    case .miFare(let tag): tag
    case .iso7816(let tag): tag
    case .iso15693(let tag): tag
    case .feliCa(let tag): tag
    case .other(let tag): tag.technology == .jewel ? tag : nil
    }
  }

  /// Connects to the tag; see ``Tag/connect()``.
  ///
  /// - Throws: ``NFCError/Code/tagConnectionLost`` if it is no longer there.
  public func connect() async throws { try await tag.connect() }

  /// Asks the tag whether it is still there; see ``Tag/isPresent()``.
  ///
  /// - Throws: ``NFCError/Code/tagNotConnected`` for a tag that the reader does not talk to;
  ///   ``NFCError/Code/readerLost``; `CancellationError`.
  public func isPresent() async throws -> Bool { try await tag.isPresent() }

  /// Runs several commands as one; see ``Tag/exclusively(_:)``.
  ///
  /// - Throws: what `body` throws; ``NFCError/Code/tagNotConnected`` for a tag that the reader does not talk to.
  public func exclusively<Result: Sendable>(
    _ body: @Sendable (TagLink) throws -> Result
  ) async throws -> Result {
    try await tag.exclusively(body)
  }

  init(_ handle: TagHandle, version: DESFireVersion?) {
    switch handle.target {
    case .iso14443a(let target):
      switch TypeAIdentification.kind(target, version: version) {
      case .miFare(let family):
        if let product = version?.product { handle.knowledge.withLock { $0.product = product } }
        self = .miFare(NativeMiFareTag(handle: handle, target: target, family: family))
      case .iso7816:
        handle.knowledge.withLock { $0.product = .some(version?.product) }
        self = .iso7816(NativeISO7816Tag(handle: handle))
      case .other:
        self = .other(OtherTag(handle: handle))
      }
    case .iso14443b:
      handle.knowledge.withLock { $0.product = .some(nil) }
      self = .iso7816(NativeISO7816Tag(handle: handle))
    case .feliCa(let target):
      self = .feliCa(NativeFeliCaTag(handle: handle, target: target))
    case .iso15693(let target):
      self = .iso15693(NativeISO15693Tag(handle: handle, target: target))
    case .jewel, .iso14443bPrime, .iso14443b2sr, .iso14443b2ct, .barcode, .iClass:
      self = .other(OtherTag(handle: handle))
    }
  }
}

/// A tag of a kind that Core NFC does not know.
public struct OtherTag: HandleTag {
  let handle: TagHandle

  /// What activation has reported of it.
  public var target: Target { handle.target }

  /// Sends a command of the tag's own: one exchange.
  ///
  /// The reader appends and verifies the check of the technology; a Jewel tag's command is completed
  /// with its UID by the reader. An iCLASS card has a check of its own that no reader makes: commands and answers are
  /// with it, as they go over the air.
  ///
  /// - Parameter timeout: for the answer; `nil` for one second.
  /// - Throws: ``NFCError/Code/unsupported`` for an NFC Barcode, which takes no commands;
  ///   ``NFCError/Code/tagResponseError`` for no or a broken answer.
  public func transceive(_ command: [UInt8], timeout: Duration? = nil) async throws -> [UInt8] {
    try await transmit(command, timeout: timeout)
  }

  func carry(_ command: [UInt8], _ link: TagLink) throws -> [UInt8] {
    guard technology != .barcode else {
      throw NFCError(.unsupported, "an NFC Barcode takes no commands")
    }
    let framing: Framing =
      switch technology {
      case .jewel: .tagProtocol
      case .iClass: .bare
      default: .checked
      }
    return try link.exchange(command, framing: framing)
  }
}
