import SwiftNFCSeededRandom
import SwiftNFCCore
import Testing

@testable import VirtualNFC

@Suite struct NFCBarcodeTests {
  /// What libnfc 1.8.0 makes of a reception without parity handling: the frame's bits are split into
  /// bytes and parity bits, the first bit of the stream (1) is put in front again, and the bits are
  /// strung together, the most significant of each byte first.
  static func reassembled(_ frame: RadioFrame) throws -> [UInt8] {
    // On the air, and in the PN532's buffer with parity handling off: each byte, least significant
    // bit first, then its parity bit.
    let parity = try #require(frame.parity)
    var air: [UInt8] = []
    for (index, byte) in frame.bytes.enumerated() {
      let count = index == frame.bytes.count - 1 ? frame.bitsInLastByte : 8
      air += (0..<count).map { byte >> UInt8($0) & 1 }
      if count == 8, index < parity.count { air.append(parity[index] ? 1 : 0) }
    }
    // libnfc takes bits - bits / 9 of them as data.
    #expect(air.count - air.count / 9 == frame.bitCount)
    #expect(parity.count == air.count / 9)
    let stream = [1] + air
    #expect(stream.count % 128 == 0)
    return stride(from: 0, to: stream.count, by: 8).map { start in
      stream[start..<min(start + 8, stream.count)].reduce(0) { $0 << 1 | $1 }
    }
  }

  static let listen = RadioFrame([], modulation: .typeA)

  @Test(arguments: [
    (NFCBarcode.Format.https, "box.dev/nfc", 16), (.http, "a.example/bc", 16),
    (.httpsWWW, "example.com/a/longer/path", 32), (.epc, "", 16),
  ])
  func libnfcAcceptsTheStream(format: NFCBarcode.Format, payload: String, size: Int) throws {
    var chip = NFCBarcode(format: format, payload: Array(payload.utf8))
    chip.powerOn()
    let answer = chip.receive(Self.listen)
    let frame = try #require(answer)
    let data = try Self.reassembled(frame)
    #expect(data.count == size)
    #expect(data == chip.identifier)
    // The check is CRC_A with its bytes the other way round.
    let check = CyclicRedundancyCheck.a(data.dropLast(2))
    #expect([check[1], check[0]] == Array(data.suffix(2)))
    #expect(data[0] == 0xB7)
    #expect(data[1] == format.rawValue)
    #expect(
      String(decoding: data.dropFirst(2).prefix(payload.utf8.count), as: UTF8.self) == payload)
  }

  /// The bytes by hand: B7 is 1 0110111; without its first bit and with 04's first bit the receiver
  /// gets 0,1,1,0,1,1,1,0: 76; 04's second bit is the parity bit.
  @Test func firstByteByHand() throws {
    var chip = NFCBarcode(format: .https, payload: Array("box.dev/nfc".utf8))
    let answer = chip.receive(Self.listen)
    let frame = try #require(answer)
    #expect(frame.bytes[0] == 0x76)
    #expect(frame.parity?[0] == false)
    #expect(frame.bytes.count == 15)
    #expect(frame.bitsInLastByte == 1)
    #expect(frame.parity?.count == 14)
    let again = chip.receive(Self.listen)
    #expect(again == frame)
  }

  @Test(arguments: [
    RadioFrame.typeA(bare: [0x26], bitsInLastByte: 7), .typeA(bare: [0x52], bitsInLastByte: 7),
    .typeA([0x30, 0x00]), RadioFrame([], modulation: .typeB), RadioFrame([], modulation: .iso15693),
  ])
  func deafToEverythingElse(frame: RadioFrame) {
    var chip = NFCBarcode(format: .https, payload: [])
    let answer = chip.receive(frame)
    #expect(answer == nil)
  }

  @Test func urlsEndWithATerminator() {
    let short = NFCBarcode(format: .http, payload: [0x61])
    #expect(Array(short.memory.dropFirst(2).prefix(3)) == [0x61, 0xFE, 0x00])
    let full = NFCBarcode(format: .http, payload: [UInt8](repeating: 0x61, count: 12))
    #expect(Array(full.memory.dropFirst(2).prefix(12)) == [UInt8](repeating: 0x61, count: 12))
    #expect(full.memory.count == 16)
  }

  @Test func memoryKeepsItsSizeAndFirstBit() throws {
    var random = SplitMix64(seed: 8)
    for _ in 0..<200 {
      var chip = NFCBarcode(format: .epc, payload: random.bytes(Int(random.next() % 29)))
      let size = chip.memory.count
      chip.memory = random.bytes(Int(random.next() % 40))
      #expect(chip.memory.count == size)
      let answer = chip.receive(Self.listen)
      let frame = try #require(answer)
      #expect(try Self.reassembled(frame) == chip.memory)
    }
  }
}
