import SwiftNFCCore
import Testing

@testable import VirtualNFC

/// The common functions of the tests of FeliCa chips.
protocol FeliCaTesting {}

extension FeliCaTesting {
  /// Returns the bytes of a hexadecimal literal.
  static func hex(_ text: String) -> [UInt8] {
    guard let bytes = [UInt8](hexadecimal: text) else {
      Issue.record("not hexadecimal: \(text)")
      return []
    }
    return bytes
  }

  func hex(_ text: String) -> [UInt8] { Self.hex(text) }

  /// Sends a payload (without LEN and check) and returns that of the answer, `nil` for silence. LEN and
  /// check of the answer must be right, and its bit rate must be that of the command.
  static func exchange(
    _ chip: inout some VirtualChip, _ payload: [UInt8], bitRate: Int = 212
  ) -> [UInt8]? {
    guard let answer = chip.receive(.feliCa(payload, bitRate: bitRate)) else { return nil }
    #expect(answer.bitRate == bitRate)
    #expect(answer.modulation == .feliCa)
    let checked = answer.checkedPayload
    #expect(checked != nil)
    return checked
  }

  func exchange(
    _ chip: inout some VirtualChip, _ payload: [UInt8], bitRate: Int = 212
  ) -> [UInt8]? {
    Self.exchange(&chip, payload, bitRate: bitRate)
  }

  /// Read Without Encryption of short block list elements of one service.
  func readCommand(_ idm: [UInt8], service: UInt16 = 0x000B, _ blocks: UInt8...) -> [UInt8] {
    let head: [UInt8] = [1, UInt8(service & 0xFF), UInt8(service >> 8), UInt8(blocks.count)]
    return [0x06] + idm + head + shortElements(blocks)
  }

  /// Write Without Encryption of one block.
  static func writeCommand(
    _ idm: [UInt8], service: UInt16 = 0x0009, _ block: UInt8, _ data: [UInt8]
  ) -> [UInt8] {
    let head: [UInt8] = [1, UInt8(service & 0xFF), UInt8(service >> 8), 1, 0x80, block]
    return [0x08] + idm + head + data
  }

  func writeCommand(
    _ idm: [UInt8], service: UInt16 = 0x0009, _ block: UInt8, _ data: [UInt8]
  ) -> [UInt8] {
    Self.writeCommand(idm, service: service, block, data)
  }

  /// Block list elements of 2 bytes of the first service.
  func shortElements(_ blocks: [UInt8]) -> [UInt8] {
    blocks.flatMap { [0x80, $0] as [UInt8] }
  }
}
