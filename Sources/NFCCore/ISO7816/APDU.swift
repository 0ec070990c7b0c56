/// A command of ISO/IEC 7816-4, 5.1: class, instruction, parameters, data, and the expected length
/// of the answer.
public struct APDU: Hashable, Sendable {
  /// The class byte, CLA.
  public var instructionClass: UInt8
  /// The instruction byte, INS.
  public var instructionCode: UInt8
  /// The parameter P1.
  public var p1: UInt8
  /// The parameter P2.
  public var p2: UInt8
  /// The data: up to 255 bytes in a short command, up to 65 535 in an extended one.
  public var data: [UInt8]
  /// The maximum number of bytes in the answer (Nₑ): 1 to 256 in a short command, up to 65 536 in
  /// an extended one; `nil` if no data is expected.
  public var expectedLength: Int?
  /// Whether the length fields are extended: if that was requested, and if ``data`` or
  /// ``expectedLength`` does not fit short ones.
  public var isExtended: Bool {
    get {
      asksForExtended || data.count > Self.maximumShortData
        || (expectedLength ?? 0) > Self.maximumShortLength
    }
    set { asksForExtended = newValue }
  }
  private var asksForExtended: Bool

  private static let maximumShortData = 255
  private static let maximumShortLength = 256

  /// Creates a command.
  public init(
    instructionClass: UInt8, instructionCode: UInt8, p1: UInt8, p2: UInt8, data: [UInt8] = [],
    expectedLength: Int? = nil, isExtended: Bool = false
  ) {
    self.instructionClass = instructionClass
    self.instructionCode = instructionCode
    self.p1 = p1
    self.p2 = p2
    self.data = data
    self.expectedLength = expectedLength
    asksForExtended = isExtended
  }

  /// Parses a command in any of the seven forms of ISO/IEC 7816-4, 5.1 and 12.1; `nil` for any
  /// other bytes.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count >= 4 else { return nil }
    var data: [UInt8] = []
    var expectedLength: Int?
    var isExtended = false
    let body = Array(bytes[4...])
    switch body.count {
    case 0:
      break
    case 1:
      expectedLength = body[0] == 0 ? 256 : Int(body[0])
    case 3 where body[0] == 0:
      isExtended = true
      expectedLength = Self.extendedLength(body[1], body[2])
    case _ where body[0] != 0:
      let length = Int(body[0])
      guard body.count == 1 + length || body.count == 2 + length else { return nil }
      data = Array(body[1..<(1 + length)])
      if body.count == 2 + length {
        expectedLength = body[1 + length] == 0 ? 256 : Int(body[1 + length])
      }
    default:
      guard body.count > 3 else { return nil }
      let length = Int(body[1]) << 8 | Int(body[2])
      guard length > 0, body.count == 3 + length || body.count == 5 + length else { return nil }
      isExtended = true
      data = Array(body[3..<(3 + length)])
      if body.count == 5 + length {
        expectedLength = Self.extendedLength(body[3 + length], body[4 + length])
      }
    }
    self.init(
      instructionClass: bytes[0], instructionCode: bytes[1], p1: bytes[2], p2: bytes[3], data: data,
      expectedLength: expectedLength, isExtended: isExtended)
  }

  private static func extendedLength(_ high: UInt8, _ low: UInt8) -> Int {
    let length = Int(high) << 8 | Int(low)
    return length == 0 ? 65_536 : length
  }

  /// The command as it is sent to the card, in the form that its lengths require. ``validate()``
  /// rejects lengths that no form supports; this property does not.
  public var encoded: [UInt8] {
    var bytes = [instructionClass, instructionCode, p1, p2]
    if isExtended {
      if !data.isEmpty || expectedLength != nil { bytes.append(0) }
      if !data.isEmpty { bytes += Self.twoBytes(data.count) + data }
      if let expectedLength { bytes += Self.twoBytes(expectedLength) }
    } else {
      if !data.isEmpty { bytes += [UInt8(truncatingIfNeeded: data.count)] + data }
      if let expectedLength { bytes.append(UInt8(truncatingIfNeeded: expectedLength)) }
    }
    return bytes
  }

  private static func twoBytes(_ value: Int) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
  }

  /// Checks the length of the data and the expected length of the answer.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for data or an expected length that no command can have.
  public func validate() throws {
    guard data.count <= 65_535 else {
      throw NFCError(.invalidParameter, "a command has at most 65535 bytes, not \(data.count)")
    }
    guard (1...65_536).contains(expectedLength ?? 1) else {
      throw NFCError(
        .invalidParameter, "the expected length is 1 to 65536, not \(expectedLength ?? 0)")
    }
  }

  private static let select: UInt8 = 0xA4

  /// Returns SELECT by name, first occurrence, with file control information: ISO/IEC 7816-4,
  /// 7.1.1.
  public static func select(aid: ApplicationIdentifier) -> APDU {
    APDU(
      instructionClass: 0x00, instructionCode: select, p1: 0x04, p2: 0x00, data: aid.bytes,
      expectedLength: 256)
  }
}

/// The name of a card's application: ISO/IEC 7816-4, 8.2.1.2. Five to sixteen bytes.
///
/// A literal is hexadecimal: `let tMoney: ApplicationIdentifier = "D4100000030001"`. An invalid
/// literal is a programming error and stops the program; use ``init(hexadecimal:)`` for text from
/// elsewhere.
public struct ApplicationIdentifier: Hashable, Sendable, ExpressibleByStringLiteral {
  /// The bytes of the name, in the order in which they are sent.
  public let bytes: [UInt8]

  /// Creates a name; `nil` unless there are one to sixteen bytes. A part of an AID selects the
  /// first application that begins with it.
  public init?(_ bytes: [UInt8]) {
    guard (1...16).contains(bytes.count) else { return nil }
    self.bytes = bytes
  }

  /// Creates a name from hexadecimal text; `nil` if the text is not hexadecimal, or has the wrong
  /// length.
  public init?(hexadecimal text: some StringProtocol) {
    guard let bytes = [UInt8](hexadecimal: text) else { return nil }
    self.init(bytes)
  }

  public init(stringLiteral value: StaticString) {
    guard let aid = ApplicationIdentifier(hexadecimal: value.description) else {
      preconditionFailure("\(value) is not an application identifier in hexadecimal")
    }
    self = aid
  }
}

extension ApplicationIdentifier {
  /// The NDEF application of mapping versions 2 and 3 (NFC Forum, Type 4 Tag Operation Specification 2.0, 5.4.2).
  package static let ndef: ApplicationIdentifier = "D2760000850101"
  /// The NDEF application of mapping version 1, which is also a name of DESFire cards.
  package static let ndefOfVersion1: ApplicationIdentifier = "D2760000850100"
  /// The newest first.
  package static let ndefOfAllVersions = [ndef, ndefOfVersion1]
}

extension ApplicationIdentifier: CustomStringConvertible {
  public var description: String { bytes.hexadecimal }
}

/// The answer to a command: data and status word (ISO/IEC 7816-4, 5.6).
public struct ResponseAPDU: Hashable, Sendable {
  /// The data before the status word.
  public var data: [UInt8]
  /// SW1, the first byte of the status word.
  public var sw1: UInt8
  /// SW2, the second byte of the status word.
  public var sw2: UInt8

  /// Creates an answer.
  public init(data: [UInt8], sw1: UInt8, sw2: UInt8) {
    self.data = data
    self.sw1 = sw1
    self.sw2 = sw2
  }

  /// Splits an answer into data and status word.
  ///
  /// - Throws: ``NFCError/Code/tagResponseError`` for fewer than two bytes, or if the last two are
  ///   not a status word: those begin with 6 or 9 (ISO/IEC 7816-4, 5.6). This detects an answer
  ///   that was cut off.
  public init(_ bytes: [UInt8]) throws {
    guard bytes.count >= 2, [0x6, 0x9].contains(bytes[bytes.count - 2] >> 4) else {
      throw NFCError(.tagResponseError, "the card's answer has no status word")
    }
    self.init(
      data: Array(bytes.dropLast(2)), sw1: bytes[bytes.count - 2], sw2: bytes[bytes.count - 1])
  }

  /// SW1 and SW2 as a number, for instance 0x9000; ``status`` has the names.
  public var statusWord: UInt16 { UInt16(sw1) << 8 | UInt16(sw2) }

  /// Whether the status word is 9000.
  public var isSuccess: Bool { statusWord == 0x9000 }
}

extension APDU: CustomStringConvertible {
  public var description: String { encoded.hexadecimal }
}

extension ResponseAPDU: CustomStringConvertible {
  /// The data, a space, and the status word; only the status word if there is no data.
  public var description: String {
    (data.isEmpty ? "" : data.hexadecimal + " ") + [sw1, sw2].hexadecimal
  }
}
