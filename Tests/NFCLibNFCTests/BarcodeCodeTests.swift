import SwiftNFCCore
import Testing

@testable import SwiftNFCLibNFC

extension LibNFCTests {
  /// The code of an NFC Barcode in what the chip has heard.
  @Suite struct BarcodeCodeTests {
    /// A Thinfilm tag's code for a link, with its check.
    private static let code: [UInt8] = [
      0xB7, 0x04, 0x62, 0x6F, 0x78, 0x2E, 0x64, 0x65, 0x76, 0x2F, 0x6E, 0x66, 0x63, 0xFE, 0xFA,
      0x0D,
    ]

    /// As it is heard: without the first bit, the earliest in the lowest bit of each byte.
    private static func heard(_ code: [UInt8]) -> [UInt8] {
      var bits: [UInt8] = []
      for byte in code {
        for bit in 0..<8 { bits.append(byte >> UInt8(7 - bit) & 1) }
      }
      bits.removeFirst()
      bits.append(0)
      var heard = [UInt8](repeating: 0, count: code.count)
      for (index, bit) in bits.enumerated() { heard[index / 8] |= bit << UInt8(index % 8) }
      return heard
    }

    @Test func aCodeIsFound() {
      #expect(LibNFCDriver.code(in: Self.heard(Self.code)) == Self.code)
      var long: [UInt8] = Self.code.dropLast(2) + [UInt8](repeating: 0x5A, count: 16)
      long += CyclicRedundancyCheck.a(long).reversed()
      #expect(LibNFCDriver.code(in: Self.heard(long)) == long)
    }

    @Test func anythingElseIsNone() {
      let heard = Self.heard(Self.code)
      for index in heard.indices {
        for bit in 0..<8 where index < 15 || bit < 7 {
          var broken = heard
          broken[index] ^= 1 << UInt8(bit)
          #expect(LibNFCDriver.code(in: broken) == nil, "\(index) \(bit)")
        }
      }
      for length in 0..<64 where length != 16 {
        #expect(LibNFCDriver.code(in: Array((heard + heard + heard + heard).prefix(length))) == nil)
      }
    }
  }
}
