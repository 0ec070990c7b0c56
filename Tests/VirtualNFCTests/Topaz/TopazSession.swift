import SwiftNFCCore

@testable import VirtualNFC

/// A reader of Topaz tags for the tests.
final class TopazSession {
  var chip: any VirtualChip
  var uid: [UInt8] { chip.identifier }

  init(_ chip: any VirtualChip) {
    self.chip = chip
    self.chip.powerOn()
    _ = request(0x26)
  }

  /// Sends REQA or WUPA.
  func request(_ code: UInt8) -> RadioFrame? {
    chip.receive(.typeA(bare: [code], bitsInLastByte: 7))
  }

  /// Sends a command with its CRC_B and returns the answer without it, `nil` for silence.
  func send(_ command: [UInt8]) -> [UInt8]? {
    let frame = RadioFrame(command + CyclicRedundancyCheck.b(command), modulation: .typeA)
    guard let answer = chip.receive(frame), answer.bytes.count > 2, answer.modulation == .typeA
    else { return nil }
    let body = Array(answer.bytes.dropLast(2))
    return CyclicRedundancyCheck.b(body) == Array(answer.bytes.suffix(2)) ? body : nil
  }

  func readAll() -> [UInt8]? { send([0x00, 0, 0] + uid) }
  func read(_ address: UInt8) -> [UInt8]? { send([0x01, address, 0] + uid) }
  func writeErase(_ address: UInt8, _ byte: UInt8) -> [UInt8]? {
    send([0x53, address, byte] + uid)
  }
  func writeNoErase(_ address: UInt8, _ byte: UInt8) -> [UInt8]? {
    send([0x1A, address, byte] + uid)
  }
  func readSegment(_ segment: UInt8) -> [UInt8]? {
    send([0x10, segment << 4] + [UInt8](repeating: 0, count: 8) + uid)
  }
  func read8(_ block: UInt8) -> [UInt8]? {
    send([0x02, block] + [UInt8](repeating: 0, count: 8) + uid)
  }
  func writeErase8(_ block: UInt8, _ bytes: [UInt8]) -> [UInt8]? {
    send([0x54, block] + bytes + uid)
  }
  func writeNoErase8(_ block: UInt8, _ bytes: [UInt8]) -> [UInt8]? {
    send([0x1B, block] + bytes + uid)
  }
}
