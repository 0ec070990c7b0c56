import SwiftNFCCore

/// Parses the target data that InListPassiveTarget reports after a target's number (UM0701-02, 7.3.5).
enum DirectTarget {
  /// Parses ATQA, SAK, the length of the UID, the UID, and the ATS with its length.
  static func typeA(_ data: [UInt8]) -> Target? {
    guard data.count >= 4, data.count >= 4 + Int(data[3]) else { return nil }
    let uid = Array(data[4..<4 + Int(data[3])])
    return .iso14443a(
      ISO14443ATarget(
        uid: uid, atqa: Array(data[0..<2]), sak: data[2],
        ats: Array(data.dropFirst(4 + uid.count + 1))))
  }

  /// Parses ATQB: its code, PUPI, application data, protocol info.
  static func typeB(_ data: [UInt8]) -> Target? {
    guard data.count >= 12 else { return nil }
    return .iso14443b(
      ISO14443BTarget(
        pupi: Array(data[1..<5]), applicationData: Array(data[5..<9]),
        protocolInfo: Array(data[9..<12])))
  }

  /// Parses length, code, IDm, PMm, system code.
  static func feliCa(_ data: [UInt8], bitRate: Int) -> Target? {
    guard data.count >= 18 else { return nil }
    return .feliCa(
      FeliCaTarget(
        idm: Array(data[2..<10]), pmm: Array(data[10..<18]),
        systemCode: Array(data[18...].prefix(2)),
        bitRate: bitRate))
  }

  /// Parses SENS_RES and UID.
  static func jewel(_ data: [UInt8]) -> Target? {
    guard data.count >= 6 else { return nil }
    return .jewel(sensRes: Array(data[0..<2]), uid: Array(data[2..<6]))
  }

  /// Returns a UID in the form that the command requires, with cascade tags.
  static func cascaded(_ uid: [UInt8]) -> [UInt8] {
    let cascadeTag: UInt8 = 0x88
    switch uid.count {
    case 7: return [cascadeTag] + uid
    case 10: return [cascadeTag] + uid.prefix(3) + [cascadeTag] + uid.dropFirst(3)
    default: return uid
    }
  }
}

/// Finds the tags of ISO/IEC 15693 in a field: inventories of one slot, each with a mask that is longer by the bits
/// on which the answers agreed (ISO/IEC 15693-3, 8).
enum VicinitySearch {
  private static let code: UInt8 = 0x01
  /// High data rate, inventory, one slot.
  private static let flags: UInt8 = 0x26
  /// The number of bits before the UID: flags and DSFID.
  private static let bitsBeforeUID = 16
  private static let uidBits = 64

  static func targets(_ chip: inout PN532Chip) -> [ISO15693Target] {
    targets(&chip, mask: [])
  }

  private static func targets(_ chip: inout PN532Chip, mask: [Bool]) -> [ISO15693Target] {
    var bytes = [UInt8](repeating: 0, count: (mask.count + 7) / 8)
    for (index, bit) in mask.enumerated() where bit { bytes[index / 8] |= 1 << UInt8(index % 8) }
    let request = [flags, code, UInt8(mask.count)] + bytes
    let frame = RadioFrame(
      request + CyclicRedundancyCheck.b(request), modulation: .iso15693, bitRate: 26)
    switch chip.transmit(frame) {
    case .silence: return []
    case .frame(let answer):
      // Flags, DSFID, UID, least significant byte first.
      guard let payload = answer.checkedPayload, payload.count == 10 else { return [] }
      return [ISO15693Target(uid: payload[2...].reversed(), dsfid: payload[1])]
    case .collision(let received, let bit):
      let position = bit - bitsBeforeUID
      guard position >= mask.count, position < uidBits else { return [] }
      let known = (0..<position).map { index in
        let place = index + bitsBeforeUID
        return received.bytes[place / 8] >> UInt8(place % 8) & 1 == 1
      }
      return [false, true].flatMap { targets(&chip, mask: known + [$0]) }
    }
  }
}
