import SwiftNFCCore

/// A file of an NTAG 424 DNA with its access rights (NT4H2421Gx data sheet, 8.2.3).
struct NTAG424File: Hashable, Sendable {
  /// The access conditions other than key numbers (data sheet, table 6).
  enum Access {
    static let free: UInt8 = 0x0E
    static let never: UInt8 = 0x0F
    static let lastKey: UInt8 = 0x04
  }

  enum Communication: UInt8, Hashable, Sendable {
    case plain = 0x00
    case authenticated = 0x01
    case encrypted = 0x03

    /// Creates a communication mode from the low bits of FileOption; X0 is plain (table 12).
    init(option: UInt8) {
      self = option & 0x01 == 0 ? .plain : option & 0x02 == 0 ? .authenticated : .encrypted
    }
  }

  let number: UInt8
  let isoIdentifier: UInt16
  var content: [UInt8]
  /// FileOption.
  var option: UInt8
  /// The four conditions Read, Write, ReadWrite, Change, from the highest bits (table 7).
  var accessRights: UInt16
  var dynamic: NTAG424DynamicSettings?
  /// SDMReadCtr.
  var readCounter: UInt32 = 0

  var communication: Communication { Communication(option: option) }
  var readConditions: [UInt8] { [condition(12), condition(4)] }
  var writeConditions: [UInt8] { [condition(8), condition(4)] }
  var changeCondition: UInt8 { condition(0) }

  private func condition(_ shift: UInt16) -> UInt8 { UInt8(accessRights >> shift & 0x0F) }

  static let dynamicOption: UInt8 = 0x40
  private static let reservedOption: UInt8 = 0xBC

  /// Returns the files of a new chip (tables 5, 8 and 13, 8.2.3.2).
  static func factory(ndef: [UInt8]) -> [NTAG424File] {
    func file(
      _ number: UInt8, _ identifier: UInt16, _ rights: UInt16, _ content: [UInt8], _ size: Int,
      _ communication: Communication = .plain
    ) -> NTAG424File {
      NTAG424File(
        number: number, isoIdentifier: identifier,
        content: content + [UInt8](repeating: 0, count: max(0, size - content.count)),
        option: communication.rawValue, accessRights: rights)
    }
    let container: [UInt8] = [
      0x00, 0x17, 0x20, 0x01, 0x00, 0x00, 0xFF, 0x04, 0x06, 0xE1, 0x04, 0x01, 0x00, 0x00, 0x00,
      0x05, 0x06, 0xE1, 0x05, 0x00, 0x80, 0x82, 0x83,
    ]
    return [
      file(0x01, 0xE103, 0xE000, container, 32),
      file(ndefNumber, 0xE104, 0xEEE0, ndef, ndefSize),
      // These are the values in public logs of new chips.
      file(0x03, 0xE105, 0x2330, [0x00, 0x7E], 128, .encrypted),
    ]
  }

  static let ndefNumber: UInt8 = 0x02
  static let ndefSize = 256

  /// The answer to GetFileSettings (table 73).
  var settings: [UInt8] {
    let size = [0, 8, 16].map { UInt8(truncatingIfNeeded: content.count >> $0) }
    return [0x00, option] + accessRights.littleEndianBytes + size + (dynamic?.encoded ?? [])
  }

  /// Changes the settings: FileOption, AccessRights and the fields after them (tables 69 and 71).
  mutating func change(settings bytes: [UInt8], isLRP: Bool = false) throws(NTAG424Status) {
    guard bytes.count >= 3 else { throw .lengthError }
    let option = bytes[0]
    let rights = UInt16(bytes[1]) | UInt16(bytes[2]) << 8
    guard option & Self.reservedOption == 0,
      [12, 8, 4, 0].allSatisfy({ Self.isCondition(UInt8(rights >> $0 & 0x0F)) })
    else { throw .parameterError }
    var dynamic: NTAG424DynamicSettings?
    if option & Self.dynamicOption != 0 {
      guard number == Self.ndefNumber else { throw .permissionDenied }
      dynamic = try NTAG424DynamicSettings(
        Array(bytes.dropFirst(3)), fileSize: content.count, isLRP: isLRP,
        // Enabling it resets the counter (9.3.1).
        counter: self.dynamic == nil ? 0 : readCounter)
      if self.dynamic == nil { readCounter = 0 }
    } else if bytes.count != 3 {
      throw .lengthError
    }
    self.option = option
    accessRights = rights
    self.dynamic = dynamic
  }

  /// Disables Secure Dynamic Messaging, as a chip does when it is switched to LRP (9.3.4.2).
  mutating func endDynamicMessaging() {
    dynamic = nil
    option &= ~Self.dynamicOption
  }

  static func isCondition(_ value: UInt8) -> Bool {
    value <= Access.lastKey || value == Access.free || value == Access.never
  }
}
