/// A block of a service, as an element of a block list: FeliCa Card User's Manual, excerpted
/// edition, 4.2.1.
public struct FeliCaBlock: Hashable, Sendable {
  /// The number of bytes in a block.
  public static let size = 16

  /// The number of the block, 0 to 65 535.
  public var number: UInt16
  /// The index of the block's service in the command's service code list, from 0; at most 15.
  public var serviceIndex: UInt8
  /// The access mode: 0 for reading and writing, 1 for the cashback of a purse service.
  public var accessMode: UInt8

  /// Creates a block by its number; it belongs to the first service of the list unless another is
  /// given.
  public init(_ number: UInt16, serviceIndex: UInt8 = 0, accessMode: UInt8 = 0) {
    self.number = number
    self.serviceIndex = serviceIndex
    self.accessMode = accessMode
  }

  /// The flag in the first byte of an element with a one-byte block number.
  private static let shortElement: UInt8 = 0x80

  /// Two bytes for block numbers up to 255, three above: the number's low byte comes first.
  var encoded: [UInt8] {
    let head = (accessMode & 0x07) << 4 | serviceIndex & 0x0F
    let low = UInt8(number & 0xFF)
    return number <= 0xFF ? [head | Self.shortElement, low] : [head, low, UInt8(number >> 8)]
  }

  /// The possible numbers of bytes in an element of a block list.
  package static let encodedSizes = 2...3

  /// Parses an element of a block list; `nil` for invalid bytes.
  package init?(encoded bytes: [UInt8]) {
    guard Self.encodedSizes.contains(bytes.count) else { return nil }
    let isShort = bytes[0] & Self.shortElement != 0
    guard isShort == (bytes.count == Self.encodedSizes.lowerBound) else { return nil }
    self.init(
      UInt16(bytes[1]) | (isShort ? 0 : UInt16(bytes[2]) << 8), serviceIndex: bytes[0] & 0x0F,
      accessMode: bytes[0] >> 4 & 0x07)
  }
}

extension FeliCaBlock: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: UInt16) { self.init(value) }
}
