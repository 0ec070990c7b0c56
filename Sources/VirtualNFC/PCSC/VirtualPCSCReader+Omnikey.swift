import SwiftNFCCore

// `FF 30` of HID's OMNIKEY readers (LibLogicalAccess, iso15693pcsccommands.cpp).
extension VirtualPCSCReader {
  /// Executes a command with data: version, subject, RFU, parameters.
  func omnikeyCommand(_ action: UInt8, _ data: [UInt8]) -> [UInt8] {
    typealias Code = VicinityCommandCode
    let (block, afi, dsfid): (UInt8, UInt8, UInt8) = (0x00, 0x02, 0x03)
    let (set, lock, status): (UInt8, UInt8, UInt8) = (0x01, 0x02, 0x03)
    let version: UInt8 = 0x01
    guard data.count >= 3, data[0] == version else { return Self.wrongLength }
    let parameters = Array(data.dropFirst(3))
    switch (action, data[1], parameters.count) {
    case (set, block, 0) where data[2] == 0x01:
      _ = carry(Code.stayQuiet, [])
      return Self.done
    case (lock, block, 2):
      return numbered(parameters, Code.lockBlock, Code.extendedLockBlock)
    case (status, block, 2):
      return numbered(
        parameters, Code.getMultipleBlockSecurityStatus,
        Code.extendedGetMultipleBlockSecurityStatus, countLessOne: [0x00])
    case (set, afi, 1): return carry(Code.writeAFI, parameters)
    case (set, dsfid, 1): return carry(Code.writeDSFID, parameters)
    case (lock, afi, 0): return carry(Code.lockAFI, [])
    case (lock, dsfid, 0): return carry(Code.lockDSFID, [])
    default: return Self.notSupported
    }
  }

  /// Executes a command for a block, whose number is sent most significant byte first.
  private func numbered(
    _ number: [UInt8], _ narrow: UInt8, _ wide: UInt8, countLessOne: [UInt8] = []
  ) -> [UInt8] {
    guard number[0] > 0 else { return carry(narrow, [number[1]] + countLessOne) }
    let wideCount = countLessOne.isEmpty ? [] : countLessOne + [0x00]
    return carry(wide, number.reversed() + wideCount)
  }

  /// Returns one field of the information that the tag reports.
  func omnikeyQuestion(_ field: UInt8) throws(StatusWord) -> [UInt8] {
    let information = try systemInformation()
    let answer: [UInt8?]
    switch field {
    case 0x02: answer = [information.afi]
    case 0x03: answer = [information.dsfid]
    case 0x04:
      answer = [information.blockCount, information.blockSize].map {
        $0.map { UInt8(truncatingIfNeeded: $0 - 1) }
      }
    case 0x05: answer = [information.icReference]
    default: return Self.notSupported
    }
    let bytes = answer.compactMap { $0 }
    return bytes.count == answer.count ? bytes + Self.done : Self.notSupported
  }
}
