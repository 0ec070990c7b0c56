import SwiftNFCSeededRandom
import Testing

@testable import SwiftNFCCore

@Suite struct Type4CapabilityContainerTests {
  /// AN11004, a DESFire card; NTAG 424 DNA data sheet, table 5; an extended file of mapping version 3.
  static let containers: [(String, Type4CapabilityContainer)] = [
    (
      "000F20003B00340406E10408000000",
      container(2, 0x3B, 0x34, file(0xE104, 0x0800))
    ),
    (
      "001720010000FF0406E104010000000506E10500808283",
      container(2, 0x100, 0xFF, file(0xE104, 0x0100))
    ),
    (
      "000F10000F00010406000100320000",
      container(1, 0x0F, 0x01, file(0x0001, 0x32))
    ),
    (
      "00113000FB00F60608E1040001000000FF",
      container(3, 0xFB, 0xF6, file(0xE104, 0x1_0000, extended: true, write: 0xFF))
    ),
  ]

  static func file(
    _ identifier: UInt16, _ size: Int, extended: Bool = false, write: UInt8 = 0
  ) -> Type4FileControl {
    Type4FileControl(
      extended ? .extendedNDEF : .ndef, identifier, size: size, readAccess: 0, writeAccess: write)
  }

  static func container(
    _ version: UInt8, _ mle: Int, _ mlc: Int, _ file: Type4FileControl
  ) -> Type4CapabilityContainer {
    Type4CapabilityContainer(
      majorVersion: version, maximumReadLength: mle, maximumUpdateLength: mlc, file: file)
  }

  @Test(arguments: containers)
  func reads(_ text: String, _ expected: Type4CapabilityContainer) throws {
    let bytes = try #require([UInt8](hexadecimal: text))
    let needed = try Type4CapabilityContainer.neededLength(Array(bytes.prefix(15)))
    #expect(needed == (expected.majorVersion == 3 ? 17 : 15))
    #expect(try Type4CapabilityContainer(Array(bytes.prefix(needed))) == expected)
  }

  @Test func anotherVersionIsNotNDEF() throws {
    let bytes = try #require([UInt8](hexadecimal: "000F40003B00340406E10408000000"))
    #expect(try Type4CapabilityContainer(bytes) == nil)
  }

  @Test(arguments: [
    "", "000F20", "000F20003B00340406E104080000",
    // CCLEN 14; nothing can be read; nothing can be written; a proprietary file first; a TLV of
    // another length; a file of 4 bytes; file E103; file FFFF; no room for the extended TLV.
    "000E20003B00340406E10408000000", "000F20000000340406E10408000000",
    "000F20003B00000406E10408000000", "000F20003B00340506E10408000000",
    "000F20003B00340407E10408000000", "000F20003B00340406E10400040000",
    "000F20003B00340406E10308000000", "000F20003B00340406FFFF08000000",
    "000F3000FB00F60608E1040001000000FF",
  ])
  func brokenContainers(_ text: String) throws {
    let bytes = try #require([UInt8](hexadecimal: text))
    let error = #expect(throws: NFCError.self) { try Type4CapabilityContainer(bytes) }
    #expect(error?.code == .malformedContent)
    #expect(error?.place == .file(0xE103))
  }

  @Test func anyBytesAreAnAnswer() {
    var generator = SplitMix64(seed: 4)
    for _ in 0..<5000 {
      var bytes = (0..<Int.random(in: 0...24, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      if bytes.count >= 9, Bool.random(using: &generator) {
        bytes.replaceSubrange(7..<9, with: Bool.random(using: &generator) ? [4, 6] : [6, 8])
        bytes[2] = 0x30
      }
      if let container = try? Type4CapabilityContainer(bytes) {
        #expect(container.file.size > container.file.lengthSize)
      }
    }
  }

  /// The old bytes, the new ones, the most in a command, and what is sent.
  @Test(
    arguments: [
      ([0, 3, 1, 2, 3], [0, 3, 1, 2, 3], 10, []),
      ([0, 3, 1, 2, 3], [0, 3, 1, 9, 3], 10, [3..<4]),
      ([0, 3, 1, 2, 3], [0, 3, 9, 2, 9], 10, [2..<5]),
      ([0, 3, 1, 2, 3], [0, 3, 9, 2, 9], 2, [2..<3, 4..<5]),
      ([], [0, 5, 1, 2, 3, 4, 5], 2, [2..<4, 4..<6, 6..<7]),
      ([0, 1, 1], [0, 3, 1, 2, 3], 10, [3..<5]),
      ([0, 3, 1, 2, 3], [0, 1, 1], 10, []),
    ] as [([UInt8], [UInt8], Int, [Range<Int>])])
  func onlyWhatChanges(_ old: [UInt8], _ new: [UInt8], _ limit: Int, _ expected: [Range<Int>]) {
    #expect(Type4Mapping.changes(from: old, to: new, after: 2, limit) == expected)
  }

  /// ISO/IEC 7816-4, 7.2.2: offset data object 54, discretionary data object 53.
  @Test func dataObjects() {
    #expect(
      Type4Command.readBinaryWithDataObject(offset: 0x01_8000, count: 0xFB).encoded.hexadecimal
        == "00B10000055403018000FB")
    #expect(
      Type4Command.updateBinaryWithDataObject(offset: 0x8000, data: [1, 2]).encoded.hexadecimal
        == "00D70000095403008000" + "53020102")
    #expect(Type4Command.unwrap([0x53, 0x02, 1, 2]) == [1, 2])
    #expect(Type4Command.unwrap([0x53, 0x81, 0x01, 7]) == [7])
    for broken: [UInt8] in [
      [], [0x53], [0x53, 2, 1], [0x54, 1, 1], [0x53, 0x81], [0x53, 0x83, 0, 0, 1, 9],
      [0x53, 0x80, 0, 0], [0x53, 1, 1, 1],
    ] {
      #expect(Type4Command.unwrap(broken) == nil, "\(broken)")
    }
  }
}
