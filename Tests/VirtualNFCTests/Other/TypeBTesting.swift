import SwiftNFCSeededRandom
import SwiftNFCCore
import Testing

@testable import VirtualNFC

/// What the tests of tags with type B modulation share.
protocol TypeBTesting {}

extension TypeBTesting {
  func hex(_ text: String) -> [UInt8] {
    guard let bytes = [UInt8](hexadecimal: text) else {
      Issue.record("not hexadecimal: \(text)")
      return []
    }
    return bytes
  }

  /// An exchange with CRC_B both ways, as a PN532 does it whose CRC handling is on.
  func exchange(_ chip: inout some VirtualChip, _ command: [UInt8]) -> [UInt8]? {
    guard let answer = chip.receive(.typeB(command)) else { return nil }
    #expect(answer.modulation == .typeB)
    let checked = answer.checkedPayload
    #expect(checked != nil)
    return checked
  }

  func exchange(_ chip: inout some VirtualChip, _ command: String) -> [UInt8]? {
    exchange(&chip, hex(command))
  }

  /// An exchange without checks, as a PN532 does it whose CRC handling is off.
  func bare(_ chip: inout some VirtualChip, _ command: [UInt8]) -> [UInt8]? {
    chip.receive(RadioFrame(command, modulation: .typeB))?.bytes
  }

  func fuzz(_ chip: inout some VirtualChip, seed: UInt64, commands: [[UInt8]]) {
    var random = SplitMix64(seed: seed)
    for round in 0..<4000 {
      var command = random.bytes(Int(random.next() % 12))
      if round % 4 != 0 {
        command = (commands.randomElement(using: &random) ?? []) + command.prefix(round % 8)
      }
      if let answer = chip.receive(.typeB(command)) { #expect(!answer.bytes.isEmpty) }
      _ = chip.receive(RadioFrame(command, modulation: .typeB))
      _ = chip.receive(RadioFrame(command, modulation: .typeA, bitsInLastByte: 7))
      if round % 500 == 499 {
        chip.powerOff()
        chip.powerOn()
      }
    }
    chip.memory = random.bytes(upTo: 255)
  }
}
