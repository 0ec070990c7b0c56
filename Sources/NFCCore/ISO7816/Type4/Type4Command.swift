/// The commands that a type 4 tag is used by: NFC Forum, Type 4 Tag Operation Specification 2.0, 5.4;
/// ISO/IEC 7816-4, 7.1 and 7.2.
enum Type4Command {
  /// The maximum length of an answer to a short command.
  static let maximumExpectedLength = 256
  /// The maximum number of data bytes in a short command.
  static let maximumData = 255
  /// The last offset that P1 and P2 can encode: bit 8 of P1 has another meaning.
  static let maximumOffset = 0x7FFF
  /// The last offset that a data object can encode.
  static let maximumObjectOffset = 0xFF_FFFF
  /// The number of bytes that an offset data object occupies in a command's data.
  static let offsetObjectSize = 5

  /// The instruction codes (ISO/IEC 7816-4, table 4).
  enum Instruction {
    static let select: UInt8 = 0xA4
    static let readBinary: UInt8 = 0xB0
    static let readBinaryWithDataObject: UInt8 = 0xB1
    static let updateBinary: UInt8 = 0xD6
    static let updateBinaryWithDataObject: UInt8 = 0xD7
  }

  private enum Parameter {
    static let selectFile: UInt8 = 0x00
    static let firstOccurrence: UInt8 = 0x00
    /// First occurrence, no answer data.
    static let noData: UInt8 = 0x0C
  }

  private static let offsetObject: UInt8 = 0x54
  private static let dataObject: UInt8 = 0x53

  /// Mapping version 1 requires P2 00 (Type 4 Tag Operation Specification 1.0).
  static func selectFile(_ identifier: UInt16, isVersion1: Bool) -> APDU {
    command(
      Instruction.select, p1: Parameter.selectFile,
      p2: isVersion1 ? Parameter.firstOccurrence : Parameter.noData,
      data: identifier.bigEndianBytes)
  }

  static func readBinary(offset: Int, count: Int) -> APDU {
    command(
      Instruction.readBinary, p1: UInt8(truncatingIfNeeded: offset >> 8),
      p2: UInt8(truncatingIfNeeded: offset), expectedLength: count)
  }

  static func updateBinary(offset: Int, data: [UInt8]) -> APDU {
    command(
      Instruction.updateBinary, p1: UInt8(truncatingIfNeeded: offset >> 8),
      p2: UInt8(truncatingIfNeeded: offset), data: data)
  }

  // MARK: Offsets beyond 7FFF

  /// The answer is a data object: see ``unwrap(_:)``. Its tag and length count in `count`.
  static func readBinaryWithDataObject(offset: Int, count: Int) -> APDU {
    command(
      Instruction.readBinaryWithDataObject, p1: 0, p2: 0, data: wrap(offset: offset),
      expectedLength: count)
  }

  static func updateBinaryWithDataObject(offset: Int, data: [UInt8]) -> APDU {
    let length = UInt8(truncatingIfNeeded: data.count)
    let object = data.count < 0x80 ? [dataObject, length] : [dataObject, 0x81, length]
    return command(
      Instruction.updateBinaryWithDataObject, p1: 0, p2: 0,
      data: wrap(offset: offset) + object + data)
  }

  /// How much data an object of at most `size` bytes holds, its tag and length counted.
  static func dataObjectCapacity(_ size: Int) -> Int {
    max(0, size > 0x81 ? size - 3 : size - 2)
  }

  /// Returns the size of an object with this number of data bytes.
  static func dataObjectSize(_ count: Int) -> Int { count < 0x80 ? count + 2 : count + 3 }

  private static func wrap(offset: Int) -> [UInt8] {
    [offsetObject, 0x03] + [16, 8, 0].map { UInt8(truncatingIfNeeded: offset >> $0) }
  }

  /// Returns the content of a discretionary data object (53), ISO/IEC 7816-4, 7.2.2; `nil` for
  /// another object, or one of indefinite length.
  static func unwrap(_ bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count >= 2, bytes[0] == dataObject else { return nil }
    let extra = bytes[1] < 0x80 ? 0 : Int(bytes[1] & 0x7F)
    guard bytes[1] != 0x80, extra <= 2, bytes.count >= 2 + extra else { return nil }
    let length = extra == 0 ? Int(bytes[1]) : bytes[2..<(2 + extra)].reduce(0) { $0 << 8 | Int($1) }
    guard bytes.count == 2 + extra + length else { return nil }
    return Array(bytes[(2 + extra)...])
  }

  private static func command(
    _ instruction: UInt8, p1: UInt8, p2: UInt8, data: [UInt8] = [], expectedLength: Int? = nil
  ) -> APDU {
    APDU(
      instructionClass: 0x00, instructionCode: instruction, p1: p1, p2: p2, data: data,
      expectedLength: expectedLength)
  }
}
