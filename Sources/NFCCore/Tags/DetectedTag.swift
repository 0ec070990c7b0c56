/// A tag that polling has found, by its kind.
///
/// ```swift
/// switch tag {
/// case .miFare(let tag): print(try await tag.sendMiFareCommand([0x30, 0x04]))
/// case .iso7816(let tag): print(try await tag.sendCommand(.select(aid: "D2760000850101")))
/// case .feliCa(let tag): print(tag.idm.hexadecimal)
/// case .iso15693(let tag): print(tag.icSerialNumber.hexadecimal)
/// case .other(let tag): print(tag.technology)
/// }
/// ```
///
/// The cases do not change: tags of further kinds are reported as ``other(_:)``.
public enum DetectedTag: Sendable {
  /// A MIFARE or NTAG chip of type A, including MIFARE Classic, DESFire and Plus.
  case miFare(any MiFareTag)
  /// Any other card that supports ISO/IEC 14443-4, of type A or B.
  case iso7816(any ISO7816Tag)
  /// A vicinity tag of ISO/IEC 15693.
  case iso15693(any ISO15693Tag)
  /// A FeliCa card.
  case feliCa(any FeliCaTag)
  /// A tag that Core NFC does not support: Jewel, B', SRx, CTx, NFC Barcode, iCLASS, a type A tag
  /// of no family.
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

  /// The reader that has found the tag, for instance one of several at a door.
  public var reader: Reader { tag.reader }

  /// The technology of the tag.
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
  /// - Throws: ``NFCError/Code/tagConnectionLost`` if it has left.
  public func connect() async throws { try await tag.connect() }

  /// Asks the tag whether it is still present; see ``Tag/isPresent()``.
  ///
  /// - Throws: ``NFCError/Code/tagNotConnected`` for a tag that is not connected;
  ///   ``NFCError/Code/readerLost``; `CancellationError`.
  public func isPresent() async throws -> Bool { try await tag.isPresent() }

  /// Runs several commands without interruption; see ``Tag/exclusively(_:)``.
  ///
  /// - Throws: what `body` throws; ``NFCError/Code/tagNotConnected`` for a tag that is not
  ///   connected.
  public func exclusively<Result: Sendable>(
    _ body: @Sendable (TagLink) throws -> Result
  ) async throws -> Result {
    try await tag.exclusively(body)
  }

  /// The complete answer to GET_VERSION or GetVersion, with which the chip was identified; `nil` if it has not been
  /// asked, or does not have the command. No exchange.
  package var reportedVersion: [UInt8]? {
    (tag as? any ConnectedTag)?.handle.knowledge.withLock { $0.version } ?? nil
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

/// A tag of a kind that Core NFC does not support.
public struct OtherTag: ConnectedTag {
  let handle: TagHandle

  /// The activation data of the tag.
  public var target: Target { handle.target }

  /// Sends a command of the tag: one exchange.
  ///
  /// The reader appends and verifies the check bytes of the technology, and adds the UID to a Jewel
  /// tag's command. An iCLASS card has check bytes that no reader makes: commands and answers include
  /// them, as they go over the air.
  ///
  /// - Parameter timeout: the time limit for the answer; `nil` for one second.
  /// - Throws: ``NFCError/Code/unsupported`` for an NFC Barcode, which accepts no commands;
  ///   ``NFCError/Code/tagResponseError`` for a missing or broken answer.
  public func transceive(_ command: [UInt8], timeout: Duration? = nil) async throws -> [UInt8] {
    try await transmit(command, timeout: timeout)
  }

  func sendRaw(_ command: [UInt8], _ link: TagLink) throws -> [UInt8] {
    guard technology != .barcode else {
      throw NFCError(.unsupported, "an NFC Barcode accepts no commands")
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

extension DetectedTag: CustomStringConvertible {
  /// The technology and the identifier, for instance `iso14443a 0499C2BA1F6481`; only the technology of a tag that
  /// has no identifier.
  public var description: String {
    identifier.isEmpty ? technology.rawValue : technology.rawValue + " " + identifier.hexadecimal
  }
}
