import SwiftNFCCore

/// How many bytes some commands ask a tag for.
enum AnswerLength {
  // ISO/IEC 7816-4, 11.3.3; NTAG21x data sheet, 10.3; JIS X 6319-4, Read Without Encryption.
  private static let readBinary: ClosedRange<UInt8> = 0xB0...0xB1
  private static let statusWord = 2
  private static let fastRead: UInt8 = 0x3A
  private static let pageSize = 4
  private static let readWithoutEncryption: UInt8 = 0x06
  private static let feliCaBlock = 16
  /// Length, code, IDm, two status flags, number of blocks.
  private static let feliCaHead = 13

  /// Returns the length of a normal answer, without check bytes; `nil` for a command that does not
  /// specify a length.
  static func asked(by command: [UInt8], of target: Target?) -> Int? {
    switch target {
    case .iso14443a(let tag)? where !tag.supportsISO14443Part4:
      guard command.count >= 3, command[0] == fastRead, command[1] <= command[2] else { return nil }
      return (Int(command[2] - command[1]) + 1) * pageSize
    case .iso14443a?, .iso14443b?:
      guard let command = APDU(command), readBinary.contains(command.instructionCode) else {
        return nil
      }
      return command.expectedLength.map { $0 + statusWord }
    case .feliCa?:
      // LEN, code, IDm, number of services, two bytes for each, number of blocks.
      guard command.count > 10, command[1] == readWithoutEncryption else { return nil }
      let position = 11 + 2 * Int(command[10])
      guard command.indices.contains(position) else { return nil }
      return feliCaHead + feliCaBlock * Int(command[position])
    default: return nil
    }
  }
}
