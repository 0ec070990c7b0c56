import SwiftNFCCore

/// The commands of PC/SC part 3, 3.2.2.1, which every reader accepts for cards without ISO/IEC
/// 14443-4, in place of the tag's own.
enum StorageCardCommands {
  private static let pseudoClass: UInt8 = 0xFF
  private static let readBinary: UInt8 = 0xB0
  private static let updateBinary: UInt8 = 0xD6
  private static let loadKeys: UInt8 = 0x82
  private static let generalAuthenticate: UInt8 = 0x86
  /// The length of the answer to READ, for an Ultralight and a Classic.
  private static let readLength: UInt8 = 16

  // The tag's own: NTAG21x data sheet, 10.2 and 10.4; MF1S50YYX data sheet, 9.
  private static let read: UInt8 = 0x30
  private static let writePage: UInt8 = 0xA2
  private static let writeBlock: UInt8 = 0xA0

  /// Get data: UID, IDm or PUPI.
  static let getIdentifier: [UInt8] = [pseudoClass, 0xCA, 0x00, 0x00, 0x00]
  /// Get data: the historical bytes of the ATS; some readers return all of it.
  static let getATS: [UInt8] = [pseudoClass, 0xCA, 0x01, 0x00, 0x00]

  private static let getResponse: UInt8 = 0xC0
  private static let bytesAvailable: UInt8 = 0x61

  /// Returns the command that gets the answer to a command of the reader's, if the reader has only reported the
  /// length of it: the first Touchatag readers (ACR122U101 and ACR122U102) do (libnfc 1.8.0, `acr122_pcsc.c`).
  static func getResponse(to command: [UInt8], _ answer: [UInt8]) -> [UInt8]? {
    guard command.first == pseudoClass, command.dropFirst().first != getResponse,
      answer.count == 2, answer[0] == bytesAvailable
    else { return nil }
    return [pseudoClass, getResponse, 0x00, 0x00, answer[1]]
  }

  /// Returns the command for READ of four pages or a block, or WRITE of a page or a block; `nil`
  /// for any other command, which cannot be sent.
  static func command(for command: [UInt8]) -> [UInt8]? {
    guard let code = command.first, command.count >= 2 else { return nil }
    let (number, data) = (command[1], Array(command.dropFirst(2)))
    switch (code, data.count) {
    case (read, 0): return [pseudoClass, readBinary, 0x00, number, readLength]
    case (writePage, 4), (writeBlock, 16):
      return [pseudoClass, updateBinary, 0x00, number, UInt8(data.count)] + data
    default: return nil
    }
  }

  // MARK: MIFARE Classic

  /// The reader's memory for keys, which it loses with its power, and the reference for using a
  /// key.
  struct KeySlots: Hashable {
    fileprivate let first: UInt8
    fileprivate let hasOneEach: Bool
    fileprivate let name: UInt8

    /// Slot 0 for either key (ACR122U, application programming interface 2.04, 5.1; ACM1252U-Y3, reference manual
    /// 1.03, 5.2.4.1).
    static let common = KeySlots(first: 0x00, hasOneEach: false, name: 0x00)
    /// Slot 1: a reader of Cherry accepts none with the number 0 (liblogicalaccess 3.5, `MifareCherryCommands`).
    static let second = KeySlots(first: 0x01, hasOneEach: false, name: 0x01)
    /// The first slot in volatile memory of readers whose slots 00 to 4F are nonvolatile (Gemalto Prox-DU and Prox-SU,
    /// reference manual DOC118569, "Load Keys command", and PC/SC guide DOC119811, "General Authenticate command").
    static let afterNonvolatile = KeySlots(first: 0x50, hasOneEach: false, name: 0x50)
    /// A slot that is called 60 or 61, as the key's type is (Identiv uTrust 3720F, reference manual
    /// 1.00, 6.2.3 and 6.2.4; SCL3711, reference manual 1.3, 6.2.3).
    static let byKeyType = KeySlots(first: 0x60, hasOneEach: true, name: 0x01)
    /// The session key of readers whose slots 00 to 1F are nonvolatile (ACR128, application programming interface
    /// 1.7, 7.1; ACR1283L, reference manual 1.00, 5.2; ACM1281U-C7, reference manual 1.02, 5.1.3.1).
    static let session = KeySlots(first: 0x20, hasOneEach: false, name: 0x20)
  }

  private static let keyA: UInt8 = 0x60
  private static let keyB: UInt8 = 0x61

  /// Puts a key into the reader's volatile memory. No key is ever written to permanent memory.
  static func load(_ key: [UInt8], _ type: MiFareClassicKeyType, _ slots: KeySlots) -> [UInt8] {
    let slot = slots.hasOneEach && type == .b ? slots.first + 1 : slots.first
    return [pseudoClass, loadKeys, 0x00, slot, UInt8(truncatingIfNeeded: key.count)] + key
  }

  /// Authenticates a block's sector with the key that was loaded.
  static func authenticate(
    block: UInt8, _ type: MiFareClassicKeyType, _ slots: KeySlots
  ) -> [UInt8] {
    // Version 1, block number in two bytes.
    let body: [UInt8] = [0x01, 0x00, block, type == .a ? keyA : keyB, slots.name]
    return [pseudoClass, generalAuthenticate, 0x00, 0x00, UInt8(body.count)] + body
  }
}
