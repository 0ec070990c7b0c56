import SwiftNFCCore
import Testing

@testable import VirtualNFC

/// A reader without a radio, which activates a chip and sends it commands in blocks.
struct CardReader<Chip: VirtualChip> {
  var chip: Chip
  /// The ATS, or the ATQB.
  private(set) var answer: [UInt8] = []
  private var blockNumber: UInt8 = 0
  private var frameSizeOfCard = 256
  /// The number of frames since the card was activated.
  private(set) var frames = 0

  init(_ chip: Chip) {
    self.chip = chip
    self.chip.powerOn()
  }

  /// The card did not answer.
  struct Silence: Error {}

  private mutating func receive(_ frame: RadioFrame) throws -> RadioFrame {
    guard let answer = chip.receive(frame) else { throw Silence() }
    return answer
  }

  mutating func transmit(_ payload: [UInt8]) throws -> [UInt8] {
    frames += 1
    let frame = chip.modulation == .typeA ? RadioFrame.typeA(payload) : .typeB(payload)
    let answer = try receive(frame)
    return try #require(answer.checkedPayload)
  }

  mutating func activate(frameSizeCode: UInt8 = 5, cid: UInt8 = 0) throws {
    blockNumber = 0
    if chip.modulation == .typeA {
      _ = try receive(RadioFrame([0x52], modulation: .typeA, bitsInLastByte: 7))
      for code: UInt8 in chip.identifier.count == 4 ? [0x93] : [0x93, 0x95] {
        let part = try receive(.typeA(bare: [code, 0x20]))
        _ = try receive(.typeA([code, 0x70] + part.bytes))
      }
      answer = try transmit([0xE0, frameSizeCode << 4 | cid])
      frameSizeOfCard = BlockProtocol.frameSize(code: answer[1] & 0x0F)
    } else {
      answer = try transmit([0x05, 0x00, 0x08])
      frameSizeOfCard = BlockProtocol.frameSize(code: answer[10] >> 4)
      _ = try transmit([0x1D] + answer[1..<5] + [0x00, frameSizeCode, 0x01, cid])
    }
    frames = 0
  }

  /// Sends a command in as many blocks as it needs and returns the combined answer.
  mutating func send(_ command: [UInt8]) throws -> [UInt8] {
    let room = frameSizeOfCard - 3
    var rest = command[...]
    var block: [UInt8] = []
    repeat {
      let part = rest.prefix(room)
      rest = rest.dropFirst(part.count)
      block = try transmit([0x02 | blockNumber | (rest.isEmpty ? 0 : 0x10)] + part)
      while block[0] == 0xF2 { block = try transmit(block) }
      #expect(block[0] & 0x01 == blockNumber)
      blockNumber ^= 1
      if !rest.isEmpty { #expect(block[0] & 0xF6 == 0xA2) }
    } while !rest.isEmpty
    var response = Array(block.dropFirst())
    while block[0] & 0x10 != 0 {
      block = try transmit([0xA2 | blockNumber])
      #expect(block[0] & 0x01 == blockNumber)
      blockNumber ^= 1
      response += block.dropFirst()
    }
    return response
  }

  /// Sends a command in hexadecimal and returns the answer in hexadecimal.
  mutating func send(_ command: String) throws -> String {
    try send(#require([UInt8](hexadecimal: command))).hexadecimal
  }
}
