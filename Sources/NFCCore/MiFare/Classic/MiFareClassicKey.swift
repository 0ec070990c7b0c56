/// A key of a MIFARE Classic sector: six bytes, which descriptions never show.
public struct MiFareClassicKey: Hashable, Sendable {
  /// The size of a key in bytes.
  public static let size = 6

  /// The six bytes, in the order of a trailer.
  public let bytes: [UInt8]

  /// Creates a key; `nil` unless there are six bytes.
  public init?(_ bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes)
    guard bytes.count == Self.size else { return nil }
    self.bytes = bytes
  }

  private init(uncheckedBytes bytes: [UInt8]) { self.bytes = bytes }

  /// FFFFFFFFFFFF, the key on delivery (MF1S50YYX data sheet, 8.6.3).
  public static let factory = MiFareClassicKey(uncheckedBytes: [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
  /// A0A1A2A3A4A5, the public key A of the application directory (AN10787, 3.10).
  public static let applicationDirectory = MiFareClassicKey(
    uncheckedBytes: [0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5])
  /// D3F7D3F7D3F7, the public key A of NFC sectors (AN1304, 6.4).
  public static let ndef = MiFareClassicKey(uncheckedBytes: [0xD3, 0xF7, 0xD3, 0xF7, 0xD3, 0xF7])

  /// The keys that are tried if no keys are given.
  public static let wellKnown = [factory, applicationDirectory, ndef]
}

extension MiFareClassicKey: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  public var description: String { "a key" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// One of a sector's two keys.
public enum MiFareClassicKeyType: Hashable, Sendable {
  /// Key A.
  case a
  /// Key B.
  case b

  /// The letter in the names of the keys.
  var letter: String { self == .a ? "A" : "B" }
}
