/// The card key of FeliCa Lite and Lite-S: sixteen bytes, which descriptions never show.
public struct FeliCaLiteCardKey: Hashable, Sendable {
  /// The number of bytes in a card key.
  public static let size = 16

  let bytes: [UInt8]

  /// - Parameter bytes: the two DES keys in the order in which DES takes them; `nil` unless there are sixteen.
  public init?(_ bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes)
    guard bytes.count == Self.size else { return nil }
    self.bytes = bytes
  }

  /// In block CK, each half has its last byte first.
  var block: [UInt8] { FeliCaLiteMAC.reversedUnits(bytes) }
}

extension FeliCaLiteCardKey: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  public var description: String { "a card key" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The message authentication codes of FeliCa Lite and Lite-S: FeliCa Lite User's Manual; FeliCa Lite-S
/// User's Manual, "MAC generation". Units of 8 bytes are turned round on their way into the cipher and out.
enum FeliCaLiteMAC {
  static let size = 8
  private static let unit = TwoKeyTripleDES.blockSize
  private static let zeros = [UInt8](repeating: 0, count: unit)

  static func reversedUnits(_ bytes: [UInt8]) -> [UInt8] {
    stride(from: 0, to: bytes.count, by: unit).flatMap { bytes[$0...].prefix(unit).reversed() }
  }

  /// Returns SK1 and SK2 in the cipher's order: the challenge, in the order of block RC, encrypted
  /// with the card key.
  static func sessionKey(_ key: FeliCaLiteCardKey, challenge: [UInt8]) -> [UInt8]? {
    TwoKeyTripleDES.encrypt(reversedUnits(challenge), key: key.bytes, initialValue: zeros)
  }

  /// Returns the code over whole units.
  ///
  /// - Parameter isWrite: SK1 and SK2 change places.
  static func code(
    over data: [UInt8], sessionKey: [UInt8], challenge: [UInt8], isWrite: Bool = false
  ) -> [UInt8]? {
    let key = isWrite ? Array(sessionKey.dropFirst(unit) + sessionKey.prefix(unit)) : sessionKey
    guard !data.isEmpty,
      let text = TwoKeyTripleDES.encrypt(
        reversedUnits(data), key: key, initialValue: challenge.prefix(unit).reversed())
    else { return nil }
    return text.suffix(unit).reversed()
  }

  /// Returns the MAC_A of a read: the block numbers, ending with that of MAC_A, then FF, precede
  /// the data.
  static func readCode(
    blocks: [UInt8], data: [UInt8], sessionKey: [UInt8], challenge: [UInt8]
  ) -> [UInt8]? {
    var head: [UInt8] = blocks.prefix(unit / 2).flatMap { [$0, 0x00] }
    head += [UInt8](repeating: 0xFF, count: unit - head.count)
    return code(over: head + data, sessionKey: sessionKey, challenge: challenge)
  }

  /// Returns the MAC_A of a write: the write counter and the block numbers precede the data.
  static func writeCode(
    writeCounter: [UInt8], block: UInt8, data: [UInt8], sessionKey: [UInt8], challenge: [UInt8]
  ) -> [UInt8]? {
    let head =
      Array(writeCounter.prefix(3)) + [0x00, block, 0x00, FeliCaLiteLayout.macA, 0x00]
    return code(over: head + data, sessionKey: sessionKey, challenge: challenge, isWrite: true)
  }
}
