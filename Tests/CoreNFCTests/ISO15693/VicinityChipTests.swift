import CoreNFC
import NDEF
import NFC
import TestSupport
import Testing
import VirtualNFC

extension SessionSuites {
  /// ``NFCISO15693Tag`` with the virtual ICODE SLIX2 (data sheet SL2S2602) and ST25DV64K (DS10925).
  @Suite(.replayed) struct VicinityChipTests {
    private static let refusedLock = 0x12
    /// An ICODE gives no reason (SL2 ICS53/ICS54 data sheet rev. 3.0, 8.4).
    private static let refusal = 0x0F

    @Test func identifiers() async throws {
      let bench = try SessionBench(.icodeSLIX2())
      try await bench.withVicinityTag { tag, session in
        #expect(tag.identifier.hexadecimal == "E00401082AD28E83")
        #expect(tag.icManufacturerCode == 0x04)
        #expect(tag.icSerialNumber.hexadecimal == "01082AD28E83")
        #expect(tag.type == .ISO15693)
        #expect(tag.asNFCISO15693Tag() === tag)
        #expect(tag.asNFCMiFareTag() == nil)
        #expect(tag.session === session)
      }
    }

    @Test(.asking(.blockLock)) func blocksAreReadWrittenAndLocked() async throws {
      let chip = VirtualTag.icodeSLIX2()
      let bench = try SessionBench(chip)
      try await bench.withVicinityTag { tag, _ in
        try await tag.writeSingleBlock(
          requestFlags: [.highDataRate, .address], blockNumber: 10, dataBlock: Data([1, 2, 3, 4]))
        let read = try await tag.readMultipleBlocks(
          requestFlags: .highDataRate, blockRange: NSRange(location: 9, length: 3))
        #expect(read == [Data(count: 4), Data([1, 2, 3, 4]), Data(count: 4)])
        try await tag.lockBlock(requestFlags: [], blockNumber: 10)
        let status = try await tag.getMultipleBlockSecurityStatus(
          requestFlags: [], blockRange: NSRange(location: 9, length: 3))
        #expect(status == [0, 1, 0])
        let withStatus = try await tag.readSingleBlock(requestFlags: .option, blockNumber: 10)
        #expect(withStatus == Data([1, 1, 2, 3, 4]))
        let error = await expect(.readerTransceiveErrorTagResponseError) {
          try await tag.writeSingleBlock(
            requestFlags: [], blockNumber: 10, dataBlock: Data(count: 4))
        }
        #expect(error?.userInfo[NFCISO15693TagResponseErrorKey] as? Int == Self.refusal)
      }
      #expect(Array(chip.memory[40..<44]) == [1, 2, 3, 4])
    }

    /// 80 blocks of 4 bytes are more than an answer holds.
    @Test func anAnswerThatIsTooLongIsNotRequested() async throws {
      let bench = try SessionBench(.icodeSLIX2())
      try await bench.withVicinityTag { tag, _ in
        bench.vicinityReader.setFaults([])
        await expect(.readerTransceiveErrorPacketTooLong) {
          _ = try await tag.readMultipleBlocks(requestFlags: [], blockRange: NSRange(0..<80))
        }
        #expect(bench.vicinityReader.statistics.exchanges == 0)
        let most = try await tag.readMultipleBlocks(requestFlags: [], blockRange: NSRange(0..<60))
        #expect(most.count == 60)
      }
    }

    @Test(.asking(.identifierLock)) func systemInformationAndItsParts() async throws {
      let bench = try SessionBench(.icodeSLIX2())
      try await bench.withVicinityTag { tag, _ in
        try await tag.writeAFI(requestFlags: [], afi: 0x42)
        try await tag.writeDSFID(requestFlags: [], dsfid: 0x07)
        let info = try await tag.systemInfo(requestFlags: .highDataRate)
        #expect(info.uniqueIdentifier == Data(tag.identifier.reversed()))
        #expect(info.dataStorageFormatIdentifier == 0x07)
        #expect(info.applicationFamilyIdentifier == 0x42)
        #expect(info.blockSize == 4)
        #expect(info.totalBlocks == 80)
        #expect(info.icReference == 0x01)
        try await tag.lockAFI(requestFlags: [])
        try await tag.lockDSFID(requestFlags: [])
        for write in [
          { try await tag.writeAFI(requestFlags: [], afi: 0) },
          { try await tag.writeDSFID(requestFlags: [], dsfid: 0) },
        ] {
          let error = await expect(.readerTransceiveErrorTagResponseError) { try await write() }
          #expect(error?.userInfo[NFCISO15693TagResponseErrorKey] as? Int == Self.refusal)
        }
      }
    }

    @Test func quietAndSelected() async throws {
      let bench = try SessionBench(.icodeSLIX2())
      try await bench.withVicinityTag { tag, _ in
        // Not selected yet: silence.
        await expect(.readerTransceiveErrorTagResponseError) {
          _ = try await tag.readSingleBlock(requestFlags: .select, blockNumber: 0)
        }
        try await tag.select(requestFlags: .highDataRate)
        let selected = try await tag.readSingleBlock(requestFlags: .select, blockNumber: 0)
        try await tag.resetToReady(requestFlags: .select)
        try await tag.stayQuiet()
        let quiet = try await tag.readSingleBlock(requestFlags: .address, blockNumber: 0)
        #expect(selected == quiet)
        #expect(tag.isAvailable)
        try await tag.resetToReady(requestFlags: .address)
      }
    }

    /// READ SIGNATURE, BD (data sheet, 9.5.3.23): 32 bytes; NXP's code is put in by the method, and by
    /// hand in a raw request.
    @Test func customCommands() async throws {
      let bench = try SessionBench(.icodeSLIX2())
      try await bench.withVicinityTag { tag, _ in
        let signature = try await tag.customCommand(
          requestFlags: .highDataRate, customCommandCode: 0xBD, customRequestParameters: Data())
        #expect(signature.count == 32)
        let (flags, raw) = try await tag.sendRequest(
          requestFlags: 0x22, commandCode: 0xBD, data: Data([0x04]) + tag.identifier.reversed())
        #expect(flags == [])
        #expect(raw == signature)
        let error = await expect(.readerTransceiveErrorTagResponseError) {
          _ = try await tag.authenticate(
            requestFlags: [], cryptoSuiteIdentifier: 0, message: Data([1]))
        }
        #expect(error?.userInfo[NFCISO15693TagResponseErrorKey] as? Int == Self.refusal)
      }
    }

    @Test(.asking(.blockLock)) func blocksBeyondNumber255() async throws {
      let chip = VirtualTag.st25dv()
      let bench = try SessionBench(chip)
      let pair = NSRange(location: 300, length: 2)
      try await bench.withVicinityTag { tag, _ in
        try await tag.extendedWriteSingleBlock(
          requestFlags: [], blockNumber: 300, dataBlock: Data([1, 2, 3, 4]))
        try await tag.extendedWriteMultipleBlocks(
          requestFlags: [], blockRange: NSRange(location: 301, length: 2),
          dataBlocks: [Data([5, 6, 7, 8]), Data([9, 10, 11, 12])])
        let one = try await tag.extendedReadSingleBlock(requestFlags: .option, blockNumber: 300)
        #expect(one == Data([0, 1, 2, 3, 4]))
        // Only blocks 0 and 1 have a lock.
        try await tag.extendedLockBlock(requestFlags: [], blockNumber: 1)
        let status = try await tag.extendedGetMultipleBlockSecurityStatus(
          requestFlags: [], blockRange: NSRange(location: 0, length: 2))
        #expect(status.blockSecurityStatus == [0, 1])
        let read = try await tag.extendedReadMultipleBlocks(requestFlags: [], blockRange: pair)
        #expect(read == [Data([1, 2, 3, 4]), Data([5, 6, 7, 8])])
        let error = await expect(.readerTransceiveErrorTagResponseError) {
          try await tag.extendedWriteSingleBlock(
            requestFlags: [], blockNumber: 1, dataBlock: Data(count: 4))
        }
        #expect(error?.userInfo[NFCISO15693TagResponseErrorKey] as? Int == Self.refusedLock)
        await expect(.readerTransceiveErrorTagResponseError) {
          _ = try await tag.extendedReadSingleBlock(requestFlags: [], blockNumber: 2048)
        }
        // The ordinary answer leaves the memory out on this chip (data sheet, 7.6.4).
        let info = try await tag.systemInfo(requestFlags: [])
        #expect(info.blockSize == -1)
        #expect(info.totalBlocks == -1)
        #expect(info.icReference == 0x26)
      }
    }

    @Test func severalBlocksAtOnce() async throws {
      let bench = try SessionBench(.st25dv())
      try await bench.withVicinityTag { tag, _ in
        let blocks = (1...4).map { Data(repeating: $0, count: 4) }
        let range = NSRange(location: 8, length: 4)
        try await tag.writeMultipleBlocks(
          requestFlags: [], blockRange: range, dataBlocks: blocks)
        let read = try await tag.readMultipleBlocks(requestFlags: [], blockRange: range)
        #expect(read == blocks)
      }
    }

    @Test func aTagThatHasLeft() async throws {
      let bench = try SessionBench(.icodeSLIX2())
      try await bench.withVicinityTag { tag, _ in
        bench.vicinityField.removeAll()
        let code: NFCReaderError.Code?
        do {
          _ = try await tag.readSingleBlock(requestFlags: [], blockNumber: 0)
          code = nil
        } catch {
          code = (error as? NFCReaderError)?.code
        }
        // Which of them it is depends on whether the reader has noticed.
        #expect(
          code == .readerTransceiveErrorTagConnectionLost
            || code == .readerTransceiveErrorTagResponseError)
      }
    }

    /// NDEF 1.0, 3.2: the format unchanged is for chunks, an empty record has no fields, a media record
    /// has a type, a type has at most 255 bytes.
    @Test func recordsThatTheStandardForbidsAreNotWritten() async throws {
      let chip = VirtualTag.icodeSLIX2()
      let memory = chip.memory
      let bench = try SessionBench(chip)
      try await bench.withVicinityTag { tag, _ in
        for (format, typeLength) in [
          (NFCTypeNameFormat.unchanged, 0), (.empty, 1), (.media, 256), (.unknown, 1),
        ] {
          let record = NFCNDEFPayload(
            format: format, type: Data(repeating: 0x61, count: typeLength), identifier: Data(),
            payload: Data())
          let error = await expect(.readerErrorInvalidParameter) {
            try await tag.writeNDEF(NFCNDEFMessage(records: [record]))
          }
          #expect(error?.userInfo[NSUnderlyingErrorKey] is NDEFError)
        }
      }
      #expect(chip.memory == memory)
    }

    @Test func ndefOnAVicinityTag() async throws {
      let bench = try SessionBench(.icodeSLIX2())
      try await bench.withVicinityTag { tag, _ in
        let link = try #require(
          NFCNDEFPayload.wellKnownTypeURIPayload(string: "https://example.com"))
        try await tag.writeNDEF(NFCNDEFMessage(records: [link]))
        let message = try await tag.readNDEF()
        #expect(message.records.first?.wellKnownTypeURIPayload()?.host() == "example.com")
        try await tag.writeNDEF(NFCNDEFMessage(records: []))
        let empty = try await tag.readNDEF()
        #expect(empty.records.map(\.typeNameFormat) == [.empty])
      }
    }
  }
}
