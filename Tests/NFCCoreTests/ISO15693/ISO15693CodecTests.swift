import Testing

@testable import SwiftNFCCore

@Suite struct ISO15693CodecTests {
  static let uid: [UInt8] = [0xE0, 0x04, 0x01, 0x18, 0x00, 0x9D, 0x96, 0x1B]
  static let uidOnAir = "1B969D00180104E0"

  static func range(_ first: Int, _ count: Int) -> ISO15693BlockRange {
    guard let range = ISO15693BlockRange(first: first, count: count) else {
      preconditionFailure("no such range")
    }
    return range
  }

  /// Requests by ISO/IEC 15693-3, 10; those marked * went to an ICODE SLI through an ACR1552 (NXP
  /// community, ICODE SLI with ACR1552), the custom one to a SLIX2 (NXP community, SET PASSWORD).
  static let requests: [(String, ISO15693Request)] = [
    (
      "260100",
      ISO15693Request(
        .inventory(afi: nil, mask: .none), flags: [.highDataRate, .inventoryOneSlot])
    ),
    (
      "3601420C1B06",
      ISO15693Request(
        .inventory(afi: 0x42, mask: ISO15693InventoryMask(length: 12, value: 0x61B)),
        flags: [.highDataRate, .inventoryOneSlot])
    ),
    (
      "06010403",
      ISO15693Request(
        .inventory(afi: nil, mask: ISO15693InventoryMask(length: 4, value: 0xF3)))
    ),
    ("2202" + uidOnAir, ISO15693Request(.stayQuiet, uid: uid)),
    ("022B", ISO15693Request(.getSystemInformation)),  // *
    ("422000", ISO15693Request(.readSingleBlock(0), flags: [.highDataRate, .option])),  // *
    (
      "02210012345678",
      ISO15693Request(.writeSingleBlock(0, data: [0x12, 0x34, 0x56, 0x78]))  // *
    ),
    ("2220" + uidOnAir + "05", ISO15693Request(.readSingleBlock(5), uid: uid)),
    ("122005", ISO15693Request(.readSingleBlock(5), flags: [.highDataRate, .select])),
    (
      "0A20FF07",
      ISO15693Request(.readSingleBlock(0x7FF), flags: [.highDataRate, .protocolExtension])
    ),
    ("0222FF", ISO15693Request(.lockBlock(255))),
    ("02230A1F", ISO15693Request(.readMultipleBlocks(range(10, 32)))),
    (
      "0A2300081F",
      ISO15693Request(
        .readMultipleBlocks(range(0x800, 32)), flags: [.highDataRate, .protocolExtension])
    ),
    (
      "022400010102030405060708",
      ISO15693Request(
        .writeMultipleBlocks(range(0, 2), data: [1, 2, 3, 4, 5, 6, 7, 8]))
    ),
    ("2225" + uidOnAir, ISO15693Request(.select, uid: uid)),
    ("1226", ISO15693Request(.resetToReady, flags: [.highDataRate, .select])),
    ("022742", ISO15693Request(.writeAFI(0x42))),
    ("0228", ISO15693Request(.lockAFI)),
    ("022917", ISO15693Request(.writeDSFID(0x17))),
    ("022A", ISO15693Request(.lockDSFID)),
    ("022C001B", ISO15693Request(.getMultipleBlockSecurityStatus(range(0, 28)))),
    ("022D0003", ISO15693Request(.fastReadMultipleBlocks(range(0, 4)))),
    ("02300001", ISO15693Request(.extendedReadSingleBlock(256))),
    (
      "0231FF07AABBCCDD",
      ISO15693Request(
        .extendedWriteSingleBlock(0x7FF, data: [0xAA, 0xBB, 0xCC, 0xDD]))
    ),
    ("0232FF07", ISO15693Request(.extendedLockBlock(0x7FF))),
    ("02330000FF07", ISO15693Request(.extendedReadMultipleBlocks(range(0, 2048)))),
    (
      "023400010000" + "AABBCCDD",
      ISO15693Request(
        .extendedWriteMultipleBlocks(range(256, 1), data: [0xAA, 0xBB, 0xCC, 0xDD]))
    ),
    ("023500AABB", ISO15693Request(.authenticate(cryptoSuite: 0, message: [0xAA, 0xBB]))),
    ("023601AABB", ISO15693Request(.keyUpdate(keyIdentifier: 1, message: [0xAA, 0xBB]))),
    ("023900AABB", ISO15693Request(.challenge(cryptoSuite: 0, message: [0xAA, 0xBB]))),
    ("023A", ISO15693Request(.readBuffer)),
    ("023B3F", ISO15693Request(.extendedGetSystemInformation(.standard))),
    ("023C00010F00", ISO15693Request(.extendedGetMultipleBlockSecurityStatus(range(256, 16)))),
    ("023D00010F00", ISO15693Request(.extendedFastReadMultipleBlocks(range(256, 16)))),
    ("02B204", ISO15693Request(.custom(code: 0xB2, manufacturer: 0x04, parameters: []))),
    (
      "22B304" + uidOnAir + "04AABBCCDD",
      ISO15693Request(
        .custom(code: 0xB3, manufacturer: 0x04, parameters: [0x04, 0xAA, 0xBB, 0xCC, 0xDD]),
        uid: uid)
    ),
    ("02E001", ISO15693Request(.other(code: 0xE0, parameters: [0x01]))),
    (
      "06A0040001",
      ISO15693Request(
        .other(code: 0xA0, parameters: [0x04, 0x00, 0x01]), flags: [.highDataRate, .inventory])
    ),
  ]

  @Test(arguments: requests.indices)
  func requestsBothWays(index: Int) throws {
    let (text, request) = Self.requests[index]
    #expect(try request.encoded().hexadecimal == text)
    let frame = try #require([UInt8](hexadecimal: text))
    #expect(try ISO15693Request(decoding: frame) == request)
  }

  /// The check of the shortest inventory, as every sniffer shows it.
  @Test func checkOfInventory() {
    #expect(CyclicRedundancyCheck.b([0x26, 0x01, 0x00]) == [0xF6, 0x0A])
  }

  static let impossible: [ISO15693Request] = [
    ISO15693Request(.readSingleBlock(256)),
    ISO15693Request(.readMultipleBlocks(range(0, 257))),
    ISO15693Request(.readSingleBlock(0), flags: [.highDataRate, .inventory]),
    ISO15693Request(.readSingleBlock(0), flags: [.highDataRate, .select], uid: uid),
    ISO15693Request(.readSingleBlock(0), flags: [.highDataRate, .address]),
    ISO15693Request(.readSingleBlock(0), uid: [0xE0, 0x04]),
    ISO15693Request(.inventory(afi: nil, mask: .none), uid: uid),
    ISO15693Request(.inventory(afi: nil, mask: ISO15693InventoryMask(length: 61, value: 0))),
    ISO15693Request(.custom(code: 0x20, manufacturer: 4, parameters: [])),
  ]

  @Test(arguments: impossible)
  func refusedBeforeSending(request: ISO15693Request) {
    #expect { try request.encoded() } throws: { ($0 as? NFCError)?.code == .invalidParameter }
  }

  @Test(arguments: [
    "", "02", "0220", "2220", "22201B969D00180104", "0223", "022300", "022B00", "0230FF", "023B",
    "2601", "2601FF", "260110AA", "02B2", "023300000F", "3220" + uidOnAir + "00", "060141AABBCC",
  ])
  func brokenRequests(text: String) throws {
    let frame = try #require([UInt8](hexadecimal: text))
    #expect { try ISO15693Request(decoding: frame) } throws: {
      ($0 as? NFCError)?.code == .malformedContent
    }
  }

  @Test func blockRanges() {
    #expect(ISO15693BlockRange(first: 0, count: 0) == nil)
    #expect(ISO15693BlockRange(first: -1, count: 1) == nil)
    #expect(ISO15693BlockRange(first: 65535, count: 2) == nil)
    #expect(ISO15693BlockRange(first: 65536, count: 1) == nil)
    #expect(ISO15693BlockRange(first: Int.max, count: Int.max) == nil)
    #expect(ISO15693BlockRange(first: 65535, count: 1)?.numbers == 65535..<65536)
    #expect(ISO15693BlockRange(first: 0, count: 65536)?.count == 65536)
  }

  // MARK: Answers

  @Test func answersOfAnICODESLI() throws {
    // The record of the ACR1552, without the reader's objects.
    let information = try ISO15693SystemInformation(
      decoding: ISO15693Response(
        decoding: #require([UInt8](hexadecimal: "000F2E985C8A000104E000001B0301"))
      ).checkedPayload(), form: .ordinary)
    #expect(
      information
        == ISO15693SystemInformation(
          uid: [0xE0, 0x04, 0x01, 0x00, 0x8A, 0x5C, 0x98, 0x2E], dsfid: 0, afi: 0, blockSize: 4,
          blockCount: 28, icReference: 1))
    #expect(information.encoded(form: .ordinary).hexadecimal == "0F2E985C8A000104E000001B0301")
    let block = try ISO15693Block.decode(
      [0x00, 0x00, 0x11, 0x22, 0x33], count: 1, hasSecurityStatus: true)
    #expect(block == [ISO15693Block(data: [0x00, 0x11, 0x22, 0x33], securityStatus: 0)])
    #expect(block[0].isLocked == false)
  }

  @Test func extendedSystemInformation() throws {
    // Flags 3F: all fields; 2048 blocks of 4 bytes; list: 20 to 26, 2C; 27 to 2B; 30 to 34, 3C.
    let payload = try #require(
      [UInt8](hexadecimal: "3FC7145D6B002602E00102FF070326FF1F3F00"))
    let information = try ISO15693SystemInformation(decoding: payload, form: .extended)
    #expect(information.dsfid == 1)
    #expect(information.afi == 2)
    #expect(information.blockCount == 2048)
    #expect(information.blockSize == 4)
    #expect(information.icReference == 0x26)
    #expect(information.needsWideBlockNumbers == true)
    #expect(information.commandList?.contains(0x23) == true)
    #expect(information.commandList?.contains(0x2B) == true)
    #expect(information.commandList?.contains(0x2D) == false)
    #expect(information.commandList?.contains(0x33) == true)
    #expect(information.commandList?.contains(0x3D) == false)
    #expect(information.commandList?.contains(0x35) == nil)
    #expect(information.encoded(form: .extended) == payload)
  }

  @Test func extendedSystemInformationWithMoreFlags() throws {
    let payload = try #require([UInt8](hexadecimal: "8401C7145D6B002602E0FF0103"))
    let information = try ISO15693SystemInformation(decoding: payload, form: .extended)
    #expect(information.blockCount == 512)
    #expect(information.needsWideBlockNumbers == false)
  }

  @Test func everyShortSystemInformationIsAnError() throws {
    let payload = try #require(
      [UInt8](hexadecimal: "3FC7145D6B002602E00102FF070326FF1F3F00"))
    for length in payload.indices {
      #expect {
        try ISO15693SystemInformation(decoding: Array(payload.prefix(length)), form: .extended)
      } throws: { ($0 as? NFCError)?.code == .tagResponseError }
    }
  }

  @Test(arguments: [
    ("0101", NFCError.Code.tagRefused, UInt8(0x01)), ("010F", .tagRefused, 0x0F),
    ("0110", .tagRefused, 0x10), ("0112", .readOnly, 0x12), ("0115", .notAuthenticated, 0x15),
    ("01", .tagRefused, 0x0F), ("01A5", .tagRefused, 0xA5),
  ])
  func refusals(text: String, code: NFCError.Code, cause: UInt8) throws {
    let response = try ISO15693Response(decoding: #require([UInt8](hexadecimal: text)))
    #expect { try response.checkedPayload(place: .block(7)) } throws: {
      let error = $0 as? NFCError
      return error?.code == code && error?.cause == .iso15693(cause) && error?.place == .block(7)
        && error?.reason.isEmpty == false
    }
  }

  @Test func inventoryAnswer() throws {
    let answer = try ISO15693InventoryAnswer(
      decoding: #require([UInt8](hexadecimal: "05" + Self.uidOnAir)))
    #expect(answer == ISO15693InventoryAnswer(dsfid: 5, uid: Self.uid))
    #expect(throws: NFCError.self) { try ISO15693InventoryAnswer(decoding: []) }
    #expect(throws: NFCError.self) { try ISO15693Response(decoding: []) }
  }

  @Test func blocksThatAreNotWhole() {
    for (count, length) in [(0, 4), (3, 10), (2, 0), (1, 33), (2, 68)] {
      #expect(throws: NFCError.self) {
        try ISO15693Block.decode(
          [UInt8](repeating: 0, count: length), count: count, hasSecurityStatus: count == 2)
      }
    }
  }

  // MARK: Any bytes

  @Test func anyBytesGiveAValueOrAnError() {
    var state: UInt64 = 0x15693
    func next() -> UInt8 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 33)
    }
    var understood = 0
    for _ in 0..<6000 {
      let frame = (0..<Int(next() % 24)).map { _ in next() }
      if let request = try? ISO15693Request(decoding: frame) {
        understood += 1
        // What cannot be sent (bits of a mask beyond its length, say) is an error or comes back
        // shorter.
        if let encoded = try? request.encoded() {
          #expect((try? ISO15693Request(decoding: encoded)) == request)
        }
      }
      for form in [ISO15693SystemInformation.Form.ordinary, .protocolExtension, .extended] {
        _ = try? ISO15693SystemInformation(decoding: frame, form: form)
      }
      _ = try? ISO15693Response(decoding: frame).checkedPayload()
      _ = try? ISO15693Block.decode(
        frame, count: Int(next()) - 8, hasSecurityStatus: next() % 2 == 0)
      _ = try? Type5CapabilityContainer(decoding: frame)
      var search = MessageSearch(
        TagDataArea(4..<4 + Int(next())), hasControlTLVs: true, repairing: next() & 1 == 0)
      _ = try? search.advance(
        { frame.indices.contains($0) ? frame[$0] : nil }, place: { .offset($0) })
      _ = ISO15693Chip.tagProduct(uid: frame)
    }
    #expect(understood > 300)
  }
}
