import SwiftNFCCore
import Testing

@testable import VirtualNFC

/// MIFARE Classic as an NFC tag: NXP AN1304 and AN10787.
@Suite struct FormattedClassicTests {
  static func bytes(_ text: String) -> [UInt8] { [UInt8](hexadecimal: text) ?? [] }
  static func block(_ number: Int, of memory: [UInt8]) -> [UInt8] {
    Array(memory[number * 16..<number * 16 + 16])
  }

  /// The sample of AN10787, with its sectors in order.
  @Test func sampleDirectoryCheck() {
    let sample = Self.bytes(
      "01 0108 0108 0108 0000 0000 0000 0400 0310 0310 0210 0210 0000 0000 0000 1130")
    #expect(ApplicationDirectory.check(sample) == 0x89)
  }

  /// AN1304 writes 14 01 03 E1 … to a 1K card.
  @Test func oneK() throws {
    let memory = VirtualTag.classic1K().memory
    #expect(Self.block(1, of: memory) == Self.bytes("1401 03E103E103E103E103E103E103E1"))
    #expect(Self.block(2, of: memory) == Self.bytes("03E103E103E103E103E103E103E103E1"))
    #expect(Self.block(3, of: memory) == Self.bytes("A0A1A2A3A4A5 787788C1 FFFFFFFFFFFF"))
    #expect(Self.block(4, of: memory) == Self.bytes("0300FE00000000000000000000000000"))
    for sector in 1..<16 {
      #expect(
        Self.block(sector * 4 + 3, of: memory) == Self.bytes("D3F7D3F7D3F7 7F078840 FFFFFFFFFFFF"))
    }
  }

  @Test func fourK() throws {
    let memory = VirtualTag.classic4K().memory
    #expect(Self.block(3, of: memory) == Self.bytes("A0A1A2A3A4A5 787788C2 FFFFFFFFFFFF"))
    #expect(Self.block(67, of: memory) == Self.bytes("A0A1A2A3A4A5 78778800 FFFFFFFFFFFF"))
    let directory = Array(memory[64 * 16..<67 * 16])
    #expect(directory[0] == ApplicationDirectory.check(directory.dropFirst()))
    #expect(Array(directory.dropFirst(2)) == (17...39).flatMap { _ in [0x03, 0xE1] as [UInt8] })
    #expect(Self.block(255, of: memory) == Self.bytes("D3F7D3F7D3F7 7F078840 FFFFFFFFFFFF"))
  }

  @Test func mini() throws {
    let memory = VirtualTag.classicMini().memory
    let directory = Array(memory[16..<48])
    #expect(directory[0] == ApplicationDirectory.check(directory.dropFirst()))
    #expect(Array(directory[2..<10]) == Self.bytes("03E103E103E103E1"))
    #expect(Array(directory[10...]) == (5...15).flatMap { _ in [0x05, 0x00] as [UInt8] })
    #expect(Self.block(3, of: memory) == Self.bytes("A0A1A2A3A4A5 787788C1 FFFFFFFFFFFF"))
  }

  @Test func blankIsAsDelivered() throws {
    let memory = VirtualTag.classic4K(formatted: false).memory
    for block in 1..<256 {
      let isTrailer = block < 128 ? block % 4 == 3 : block % 16 == 15
      #expect(
        Self.block(block, of: memory)
          == (isTrailer
            ? Self.bytes("FFFFFFFFFFFF FF078069 FFFFFFFFFFFF") : [UInt8](repeating: 0, count: 16)))
    }
  }

  /// The tag is read through the cipher with the public keys and written with key B.
  @Test func openWithTheDocumentedKeys() throws {
    let session = ClassicSession(try MIFAREClassic(.fourK, uid: [1, 2, 3, 4], ndef: [0xD0, 0, 0]))
    #expect(session.select() == 0x18)
    for sector in 0..<40 {
      let block = UInt8(MIFAREClassic.Product.blocks(ofSector: sector).upperBound - 2)
      let isDirectory = sector == 0 || sector == 16
      try #require(
        session.authenticate(
          block, .a, Self.bytes(isDirectory ? "A0A1A2A3A4A5" : "D3F7D3F7D3F7")))
      guard case .data(let bytes) = session.read(block) else {
        Issue.record("block \(block) cannot be read")
        return
      }
      try #require(session.authenticate(block, .b, Self.bytes("FFFFFFFFFFFF")))
      #expect(session.write(block, bytes) == .acknowledge(0x0A))
    }
    try #require(session.authenticate(4, .a, Self.bytes("D3F7D3F7D3F7")))
    #expect(session.read(4) == .data(Self.bytes("0303D00000FE00000000000000000000")))
    #expect(session.write(4, Self.bytes("0300FE00000000000000000000000000")) == .acknowledge(0x0A))
  }

  @Test(arguments: [
    (MIFAREClassic.Product.mini, 190), (.oneK, 716), (.fourK, 3356),
  ]) func longestMessage(product: MIFAREClassic.Product, capacity: Int) throws {
    let message = (0..<capacity).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let card = try MIFAREClassic(product, uid: [1, 2, 3, 4], ndef: message)
    let data = product.ndefSectors.flatMap { sector in
      MIFAREClassic.Product.blocks(ofSector: sector).dropLast().flatMap {
        Self.block($0, of: card.memory)
      }
    }
    #expect(Array(data.suffix(capacity)) == message)
    #expect(data.count - capacity == (capacity > 254 ? 4 : 2))
    #expect(throws: VirtualTagError.messageTooLarge(capacity: capacity)) {
      try MIFAREClassic(product, uid: [1, 2, 3, 4], ndef: message + [0])
    }
  }

  @Test(arguments: [
    (0, 0), (1, 0), (2, 0), (90, 88), (256, 254), (257, 254), (258, 254), (259, 255), (466, 462),
    (100_000, 65535),
  ]) func capacities(size: Int, capacity: Int) {
    #expect(MessageTLV.capacity(room: size) == capacity)
  }
}
