import NFC
import TestSupport
import Testing
import VirtualNFC

@testable import SwiftNFCPCSC

/// Readers that only read and write pages or blocks.
@Suite(.replayed) struct PlainReaderTests {
  typealias Dialect = VirtualPCSCReader.Dialect

  private func found(_ chip: VirtualTag, _ bench: PCSCBench) async throws -> DetectedTag {
    let found = try #require(try await bench.reader.tagsInField().first)
    try await found.connect()
    return found
  }

  private func bench(
    _ chip: VirtualTag, _ dialect: Dialect, name: String? = nil,
    answer: @escaping @Sendable (_ command: [UInt8], _ answer: [UInt8]) -> [UInt8] = { $1 }
  ) async throws -> PCSCBench {
    ReplayedReaders.begin()
    let field = VirtualField()
    field.place(chip)
    let virtual = VirtualPCSCReader(field, dialect: dialect, name: name)
    let reader = try await Reader.open(over: {
      InterposedService(virtual.service()) { command, pass throws(SmartCardFailure) in
        answer(command, try pass(command))
      }
    })
    return PCSCBench(field: field, virtual: virtual, reader: reader)
  }

  // MARK: Locks

  /// A lock that has begun is completed: whether the bits take effect is found out after the tag was woken, and these
  /// readers have no command for HLTA.
  @Test(
    .asking(.lockBits, .oneTimeBits),
    arguments: [
      Dialect.storageCard, .omnikey, .acsPassThrough, .identivPassThrough, .feliCaFrames,
      .springCard, .transparentSession, .directTransmit,
    ])
  func locksCompletely(_ dialect: Dialect) async throws {
    let chip = VirtualTag.ntag213()
    let bench = try await bench(chip, dialect)
    let ndef = try #require(try await found(chip, bench).ndef)
    try await ndef.makeReadOnly()
    #expect(Array(chip.memory[10..<12]) == [0xFF, 0xFF])
    #expect(chip.memory[15] == 0x0F)
    #expect(Array(chip.memory[160..<162]) == [0xFF, 0x0F])
    #expect(try await ndef.queryNDEFStatus().access == .readOnly)
    #expect(try await ndef.readOnlyPlan().steps.isEmpty)
  }

  /// The chip has user memory where the standard has the bits of a tag of this size.
  @Test func leavesAChipThatItCannotIdentifyAsItWas() async throws {
    let chip = VirtualTag.ntag216()
    let before = chip.memory
    let bench = try await bench(chip, .storageCard)
    let ndef = try #require(try await found(chip, bench).ndef)
    let error = await #expect(throws: NFCError.self) { try await ndef.makeReadOnly() }
    #expect(error?.code == .unsupported)
    #expect(error?.reason.contains("the tag is as it was") == true)
    #expect(chip.memory == before)
  }

  /// How a SpringCard reader returns the four bits of a refusal is not known: as a byte, or as a frame with a wrong
  /// number of bits (SpringProx API, springprox_errno.h).
  @Test(.asking(.lockBits, .oneTimeBits)) func locksWhereARefusalIsABrokenAnswer() async throws {
    let chip = VirtualTag.ntag213()
    let bench = try await bench(chip, .springCard) { command, answer in
      let isRefusal = command.starts(with: [0xFF, 0xFE]) && answer.count == 3 && answer[0] != 0x0A
      return isRefusal ? [0x6F, 0x0B] : answer
    }
    let ndef = try #require(try await found(chip, bench).ndef)
    try await ndef.makeReadOnly()
    #expect(Array(chip.memory[10..<12]) == [0xFF, 0xFF])
    #expect(chip.memory[15] == 0x0F)
    #expect(try await ndef.readOnlyPlan().steps.isEmpty)
  }

  // MARK: ISO/IEC 15693

  /// A reader that moves one block at a time reads the container and the message, and nothing else.
  @Test(arguments: [Dialect.storageCard, .storageCardNumberInP2, .omnikey])
  func readsOnlyTheMessage(_ dialect: Dialect) async throws {
    let chip = VirtualTag.icodeSLIX2()
    let bench = try await bench(chip, dialect)
    let ndef = try #require(try await found(chip, bench).ndef)
    let empty = try await bench.counting { try await ndef.readNDEFBytes() }
    #expect(empty.result == nil)
    #expect(empty.exchanges == 2)
    let message = NDEFMessage(records: [URIRecord("https://example.com").record])
    try await ndef.writeNDEF(message)
    let again = try await PCSCBench(
      field: bench.field, virtual: bench.virtual,
      reader: Reader.open(over: { bench.virtual.service() }))
    let other = try #require(try await found(chip, again).ndef)
    let full = try await again.counting { try await other.readNDEF() }
    #expect(full.result == message)
    // A container, and a TLV of 18 bytes.
    #expect(full.exchanges == 6)
  }

  /// An OMNIKEY without the maker's commands has those of any reader, and only them.
  @Test func takesNoOmnikeyForOneWithItsMakersCommands() async throws {
    let chip = VirtualTag.icodeSLIX2()
    let bench = try await bench(chip, .storageCard, name: "HID Global OMNIKEY 5022 CL 00 00") {
      $0.starts(with: [0xFF, 0x30]) ? [0x6D, 0x00] : $1
    }
    let tag = try await bench.tag()
    #expect(try await tag.readBlocks(0..<1)[0].data == Array(chip.memory.prefix(4)))
    let error = await #expect(throws: NFCError.self) { try await tag.lockBlock(4) }
    #expect(error?.code == .unsupported)
    #expect(error?.cause == .unsupportedByReader)
  }

  // MARK: Commands that a reader lacks

  /// What depends on the chip, which such a reader cannot ask for, is no fault of the tag.
  @Test func namesTheReaderForAChipThatItCannotIdentify() async throws {
    for chip in [VirtualTag.ntag213(), .ultralightC()] {
      let bench = try await bench(chip, .storageCard)
      guard case .miFare(let tag) = try await found(chip, bench) else {
        throw NFCError(.wrongTag, chip.name)
      }
      let ultralight = try #require(tag.ultralight)
      let operations: [() async throws -> Void] = [
        { _ = try await ultralight.dump() },
        { _ = try await ultralight.protectionPlan(nil as UltralightProtection?) },
        { _ = try await ultralight.protectionPlan(nil as UltralightCProtection?, key: nil) },
      ]
      for operation in operations {
        let error = await #expect(throws: NFCError.self) { try await operation() }
        #expect(error?.code == .unsupported)
        #expect(error?.cause == .unsupportedByReader, "\(chip.name): \(String(describing: error))")
      }
      #expect(try await tag.sendMiFareCommand([0x30, 0x00]).count == 16)
    }
  }

  /// The tag is not the wrong one if the reader has no command for it.
  @Test func namesTheReaderForWhatItDoesNotHave() async throws {
    let chip = VirtualTag.ntag213()
    let bench = try await bench(chip, .storageCard) {
      $0.starts(with: [0xFF, 0xB0]) ? [0x6D, 0x00] : $1
    }
    let ndef = try #require(try await found(chip, bench).ndef)
    let error = await #expect(throws: NFCError.self) { _ = try await ndef.readNDEF() }
    #expect(error?.code == .unsupported)
    #expect(error?.cause == .unsupportedByReader)
    #expect(error?.reason.contains("6D00") == true, "\(String(describing: error))")
  }
}
