/// Encodes data objects.
package enum DER {
  /// Returns an object with the shortest length.
  package static func object(_ tag: UInt32, _ value: [UInt8]) -> [UInt8] {
    self.tag(tag) + length(value.count) + value
  }

  package static func length(_ count: Int) -> [UInt8] {
    guard count >= 0x80 else { return [UInt8(count)] }
    let bytes = number(count)
    return [0x80 | UInt8(bytes.count)] + bytes
  }

  /// Returns the bytes of a number, at least one.
  package static func number(_ value: Int) -> [UInt8] {
    var rest = value
    var bytes: [UInt8] = []
    repeat {
      bytes.insert(UInt8(truncatingIfNeeded: rest), at: 0)
      rest >>= 8
    } while rest > 0
    return bytes
  }

  private static func tag(_ tag: UInt32) -> [UInt8] {
    let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: tag >> $0) }
    return Array(bytes.dropLast().drop { $0 == 0 }) + bytes.suffix(1)
  }
}
