import SwiftNFCCore

/// The identifier of an application, 24 bits. The card itself is application 000000.
public struct DESFireApplicationIdentifier: Hashable, Sendable {
  /// 0 to FFFFFF.
  public let value: UInt32

  /// The largest identifier, three bytes.
  public static let largest: UInt32 = 0xFF_FFFF

  /// Creates an identifier; `nil` for a number above FFFFFF.
  public init?(_ value: UInt32) {
    guard value <= Self.largest else { return nil }
    self.value = value
  }

  /// The card itself, with its own keys.
  public static let card = DESFireApplicationIdentifier(bits: 0)

  /// The one application of DESFire Light and of the NTAG DNA chips, which has no number to select
  /// it by: 000001.
  public static let fixed = DESFireApplicationIdentifier(bits: 1)

  private init(bits: UInt32) { value = bits }

  /// Three bytes, least significant first, as they go over the air.
  package init(_ bytes: ArraySlice<UInt8>) {
    value = bytes.prefix(3).reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  package var bytes: [UInt8] { Int(value).littleEndianBytes(count: 3) }
}

extension DESFireApplicationIdentifier: CustomStringConvertible {
  /// Six hexadecimal digits, most significant first.
  public var description: String { bytes.reversed().hexadecimal }
}

extension Int {
  /// Returns the lowest `count` bytes, least significant first.
  func littleEndianBytes(count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) }
  }

  /// Creates an unsigned number from bytes, least significant first.
  init(littleEndian bytes: some Collection<UInt8>) {
    self = bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}
