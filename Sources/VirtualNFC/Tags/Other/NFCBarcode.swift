import SwiftNFCCore

/// A Thinfilm (Kovio) NFC Barcode: 128 or 256 bits of read-only memory, sent again and again as long as
/// there is a carrier (Thinfilm NFC Barcode Protocol, tag functional specification 3.4).
///
/// The tag talks first. Here it answers a type A frame without bytes, which stands for a reader that
/// listens without sending; it ignores every other frame.
public struct NFCBarcode: VirtualChip {
  /// Byte 0: Thinfilm. The first bit on the air is always 1 and opens the frame.
  private static let manufacturer: UInt8 = 0xB7

  /// The type of the payload, byte 1.
  public enum Format: UInt8, Sendable {
    /// A URL after `http://www.`.
    case httpWWW = 0x01
    /// A URL after `https://www.`.
    case httpsWWW = 0x02
    /// A URL after `http://`.
    case http = 0x03
    /// A URL after `https://`.
    case https = 0x04
    /// An Electronic Product Code.
    case epc = 0x05
  }

  /// The byte that ends a URL if it does not fill the payload.
  private static let terminator: UInt8 = 0xFE

  public let name = "barcode"
  /// The complete memory in transmission order. The first bit is the most significant of the first byte;
  /// the last two bytes are the check.
  public private(set) var identifier: [UInt8]

  /// - Parameters:
  ///   - format: the type of `payload`.
  ///   - payload: at most 12 bytes, or 28 for a tag with 256 bits; padded with zeros.
  public init(format: Format, payload: [UInt8]) {
    precondition(payload.count <= 28, "a tag has room for 28 bytes")
    let size = payload.count <= 12 ? 12 : 28
    var body = [Self.manufacturer, format.rawValue] + payload
    if format != .epc, payload.count < size { body.append(Self.terminator) }
    body += [UInt8](repeating: 0, count: 2 + size - body.count)
    identifier = Self.checked(body)
  }

  /// Creates a tag from all its bytes, including the check.
  init(code: [UInt8]) {
    precondition(Self.isCode(code), "a tag has 16 or 32 bytes, and begins with a 1")
    identifier = code
  }

  static func isCode(_ code: [UInt8]) -> Bool {
    [16, 32].contains(code.count) && code[0] & 0x80 != 0
  }

  /// Returns the bytes with their check: CRC_A, here with the most significant byte first.
  private static func checked(_ body: [UInt8]) -> [UInt8] {
    body + CyclicRedundancyCheck.a(body).reversed()
  }

  public var modulation: RadioFrame.Modulation { .typeA }

  /// All 16 or 32 bytes. The first bit is always 1; the check is stored as given.
  public var memory: [UInt8] {
    get { identifier }
    set {
      for (index, byte) in newValue.prefix(identifier.count).enumerated() {
        identifier[index] = index == 0 ? byte | 0x80 : byte
      }
    }
  }

  public mutating func powerOff() {}

  public mutating func receive(_ frame: RadioFrame) -> RadioFrame? {
    guard frame.modulation == .typeA, frame.bytes.isEmpty else { return nil }
    return answer
  }

  /// The stream as a type A receiver interprets it. The first bit is its start of frame. Then eight bits
  /// each are a byte, least significant first, and every ninth bit is a parity bit, right or wrong.
  private var answer: RadioFrame {
    let bits = identifier.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }.dropFirst()
    var bytes: [UInt8] = []
    var parity: [Bool] = []
    var bitsInLastByte = 8
    for (index, bit) in bits.enumerated() {
      switch index % 9 {
      case 8:
        parity.append(bit == 1)
      case 0:
        bytes.append(bit)
        bitsInLastByte = 1
      case let position:
        bytes[bytes.count - 1] |= bit << UInt8(position)
        bitsInLastByte = position + 1
      }
    }
    return RadioFrame(
      bytes, modulation: .typeA, bitsInLastByte: bitsInLastByte, parity: parity)
  }
}

extension VirtualTag {
  /// Returns an NFC Barcode with a URL that is short enough for its 12 bytes.
  public static func nfcBarcode(
    format: NFCBarcode.Format = .https, payload: [UInt8] = Array("box.dev/nfc".utf8)
  ) -> VirtualTag {
    VirtualTag(NFCBarcode(format: format, payload: payload))
  }
}
