import Testing

@testable import SwiftNFCCore

/// Packets of the FeliCa Card User's Manual, excerpted edition, 4.4, without LEN.
@Suite struct FeliCaCommandTests {
  static let idm: [UInt8] = [0x01, 0x2E, 0x4C, 0xD8, 0x6A, 0x1F, 0x93, 0x05]

  private static func list(_ services: [UInt16], _ blocks: [FeliCaBlock]) -> FeliCaBlockList {
    FeliCaBlockList(serviceCodes: services, blocks: blocks)
  }

  @Test(arguments: [
    (FeliCaBlock(0), "8000"), (FeliCaBlock(0xFF), "80FF"), (FeliCaBlock(0x100), "000001"),
    (FeliCaBlock(0x1234, serviceIndex: 2), "023412"),
    (FeliCaBlock(5, serviceIndex: 1, accessMode: 1), "9105"),
  ])
  func blockListElements(_ block: FeliCaBlock, _ bytes: String) {
    #expect(block.encoded.hexadecimal == bytes)
    #expect(FeliCaBlock(encoded: block.encoded) == block)
  }

  /// Nothing, one byte, two without the bit for two, three with it, four.
  @Test(arguments: ["", "80", "0000", "800000", "00000000"])
  func whatIsNotABlockListElement(_ bytes: String) throws {
    #expect(FeliCaBlock(encoded: try #require([UInt8](hexadecimal: bytes))) == nil)
  }

  /// A number that one byte holds may stand in two.
  @Test func longBlockListElement() {
    #expect(FeliCaBlock(encoded: [0x02, 0x05, 0x00]) == FeliCaBlock(5, serviceIndex: 2))
  }

  @Test func commands() {
    let idm = Self.idm
    let head = idm.hexadecimal
    #expect(
      FeliCaPolling(systemCode: 0x12FC, requestCode: .systemCode, timeSlots: .four).encoded
        .hexadecimal == "0012FC0103")
    #expect(
      FeliCaReadWithoutEncryption(idm: idm, list: Self.list([0x000B], [0, 1, 0x88])).encoded
        .hexadecimal == "06\(head)010B0003800080018088")
    #expect(
      FeliCaReadWithoutEncryption(
        idm: idm, list: Self.list([0x090F, 0x000B], [FeliCaBlock(3, serviceIndex: 1)])
      ).encoded.hexadecimal == "06\(head)020F090B00018103")
    #expect(
      FeliCaWriteWithoutEncryption(
        idm: idm, list: Self.list([0x0009], [0x0102]), data: [[UInt8](repeating: 0xAB, count: 16)]
      ).encoded.hexadecimal
        == "08\(head)010900010002 01".filter { $0 != " " } + String(repeating: "AB", count: 16))
    #expect(
      FeliCaRequestService(idm: idm, nodeCodes: [0x0009, 0x090F]).encoded.hexadecimal
        == "02\(head)0209000F09")
    #expect(FeliCaRequestResponse(idm: idm).encoded.hexadecimal == "04\(head)")
    #expect(FeliCaRequestSystemCode(idm: idm).encoded.hexadecimal == "0C\(head)")
  }

  @Test func answers() throws {
    let idm = Self.idm
    let pmm: [UInt8] = [0x00, 0xF1, 0x00, 0x00, 0x00, 0x01, 0x43, 0x00]
    let polling = FeliCaPolling(systemCode: 0xFFFF, requestCode: .systemCode, timeSlots: .one)
    #expect(
      try polling.answer([0x01] + idm + pmm + [0x88, 0xB4])
        == FeliCaPollingAnswer(idm: idm, pmm: pmm, requestData: [0x88, 0xB4]))
    let read = FeliCaReadWithoutEncryption(idm: idm, list: Self.list([0x000B], [0, 1]))
    let blocks = [[UInt8](repeating: 1, count: 16), [UInt8](repeating: 2, count: 16)]
    #expect(try read.answer([0x07] + idm + [0, 0, 2] + blocks.joined()) == blocks)
    #expect(
      try FeliCaRequestService(idm: idm, nodeCodes: [0x0009, 0x090F])
        .answer([0x03] + idm + [2, 0x01, 0x00, 0xFF, 0xFF]) == [1, nil])
    #expect(try FeliCaRequestResponse(idm: idm).answer([0x05] + idm + [0]) == 0)
    #expect(
      try FeliCaRequestSystemCode(idm: idm).answer([0x0D] + idm + [2, 0x00, 0x03, 0x12, 0xFC])
        == [0x0003, 0x12FC])
  }

  /// A worn memory: the write is done.
  @Test func aWarningIsNotARefusal() throws {
    let write = FeliCaWriteWithoutEncryption(
      idm: Self.idm, list: Self.list([0x0009], [0]), data: [[UInt8](repeating: 1, count: 16)])
    try write.answer([0x09] + Self.idm + [0xFF, 0x71])
  }

  @Test(arguments: [
    ([0x01, 0xA8] as [UInt8], NFCError.Code.tagRefused),
    ([0xFF, 0xA2], .tagRefused), ([0x02, 0xB1], .notAuthenticated),
  ])
  func statusFlags(_ flags: [UInt8], _ code: NFCError.Code) {
    let read = FeliCaReadWithoutEncryption(idm: Self.idm, list: Self.list([0x000B], [0]))
    let write = FeliCaWriteWithoutEncryption(
      idm: Self.idm, list: Self.list([0x0009], [0]), data: [[]])
    for attempt in [
      { _ = try read.answer([0x07] + Self.idm + flags) },
      { try write.answer([0x09] + Self.idm + flags) },
    ] {
      let error = #expect(throws: NFCError.self) { try attempt() }
      #expect(error?.code == code)
      #expect(error?.cause == .statusFlags(flag1: flags[0], flag2: flags[1]))
    }
  }

  @Test func brokenAnswers() {
    let idm = Self.idm
    let read = FeliCaReadWithoutEncryption(idm: idm, list: Self.list([0x000B], [0]))
    let block = [UInt8](repeating: 0, count: 16)
    let answers: [[UInt8]] = [
      [], [0x07], [0x09] + idm + [0, 0, 1] + block, [0x07] + idm.reversed() + [0, 0, 1] + block,
      [0x07] + idm, [0x07] + idm + [0], [0x07] + idm + [0, 0], [0x07] + idm + [0, 0, 1],
      [0x07] + idm + [0, 0, 2] + block + block, [0x07] + idm + [0, 0, 1] + block.dropLast(),
    ]
    for answer in answers {
      let error = #expect(throws: NFCError.self) { try read.answer(answer) }
      #expect(error?.code == .tagResponseError)
    }
  }

  @Test func whatNoCommandCarries() {
    let idm = Self.idm
    let lists = [
      Self.list([], [0]), Self.list([0x000B], []),
      Self.list([0x000B], [FeliCaBlock(0, serviceIndex: 1)]),
      Self.list([UInt16](repeating: 0, count: 17), [0]),
      Self.list([0x000B], [FeliCaBlock](repeating: 0, count: 256)),
    ]
    for list in lists {
      let error = #expect(throws: NFCError.self) {
        try FeliCaReadWithoutEncryption(idm: idm, list: list).validate()
      }
      #expect(error?.code == .invalidParameter)
    }
    #expect(throws: NFCError.self) {
      try FeliCaWriteWithoutEncryption(
        idm: idm, list: Self.list([0x0009], [0]), data: [[1, 2, 3]]
      ).validate()
    }
    #expect(throws: NFCError.self) {
      try FeliCaRequestService(idm: idm, nodeCodes: []).validate()
    }
  }
}
