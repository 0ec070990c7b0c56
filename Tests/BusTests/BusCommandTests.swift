import Foundation
import SwiftNFCCore
import TestSupport
import Testing
import VirtualNFC

extension BusTests {
  /// Tests the `nfc` command on I²C and SPI, with libnfc's drivers pn532_i2c and pn532_spi.
  @Suite struct CommandTests {
    static let buses = BusReader.Bus.allCases

    static func reader(_ bus: BusReader.Bus) throws -> (BusReader, VirtualTag) {
      let tag = try VirtualTag.ntag216(ndef: ReadFault.message)
      let reader = try BusReader(bus)
      reader.field.place(tag)
      return (reader, tag)
    }

    @Test(arguments: buses, [[], [BusReader.Condition.keepsAnswers]])
    func reads(_ bus: BusReader.Bus, _ conditions: [BusReader.Condition]) async throws {
      let (reader, _) = try Self.reader(bus)
      let read = try await BusProgram.nfc("read", on: reader, conditions)
      read.expectSuccess()
      #expect(read.output.contains("example.org"))
    }

    /// The message needs the longest answers that the driver supports.
    @Test(arguments: buses) func writes(_ bus: BusReader.Bus) async throws {
      let (reader, tag) = try Self.reader(bus)
      let text = String(repeating: "a long text ", count: 40)
      try await BusProgram.nfc("write", "text", text, "--verify", on: reader).expectSuccess()
      #expect(String(decoding: tag.memory, as: UTF8.self).contains(text))
      #expect(try await BusProgram.nfc("read", on: reader).output.contains(text))
    }

    @Test(arguments: buses) func polls(_ bus: BusReader.Bus) async throws {
      let (reader, tag) = try Self.reader(bus)
      reader.field.place(.suica())
      let poll = try await BusProgram.nfc("poll", "--count", "2", "--timeout", "10", on: reader)
      poll.expectSuccess()
      #expect(poll.output.contains(tag.identifier.hexadecimal), "\(poll.output)")
      #expect(poll.output.contains("01010612B41C7D2A"), "\(poll.output)")
    }

    @Test(arguments: buses) func dumpsAndInforms(_ bus: BusReader.Bus) async throws {
      let (reader, tag) = try Self.reader(bus)
      let file = FileManager.default.temporaryDirectory.appending(path: "nfc-\(UUID()).bin")
      defer { try? FileManager.default.removeItem(at: file) }
      try await BusProgram.nfc("dump", file.path, on: reader).expectSuccess()
      let dump = [UInt8](try Data(contentsOf: file))
      #expect(Array(dump.prefix(64)) == Array(tag.memory.prefix(64)))
      let info = try await BusProgram.nfc("info", on: reader)
      info.expectSuccess()
      #expect(info.output.contains("NTAG216"))
    }

    /// Answers have up to 251 bytes on I²C.
    @Test(arguments: buses) func readsFiles(_ bus: BusReader.Bus) async throws {
      let text = String(repeating: "a card with a file ", count: 40)
      let reader = try BusReader(bus)
      reader.field.place(.type4())
      try await BusProgram.nfc("write", "text", text, on: reader).expectSuccess()
      let read = try await BusProgram.nfc("read", on: reader)
      read.expectSuccess()
      #expect(read.output.contains(text))
    }

    /// Two programs run in turn, and programs are interrupted and killed between them.
    @Test(arguments: buses) func programsInTurn(_ bus: BusReader.Bus) async throws {
      let (reader, _) = try Self.reader(bus)
      let list = try await BusProgram.other("nfc-list", on: reader)
      list.expectSuccess()
      let turns = try await BusProgram.shell(
        """
        "$NFC" read --reader "$READER" && timeout --signal=INT 1 "$NFC" poll --reader "$READER"
        "$NFC" read --reader "$READER" && timeout --signal=KILL 1 "$NFC" poll --reader "$READER"
        "$NFC" read --reader "$READER"
        """, on: reader, [.keepsAnswers])
      turns.expectSuccess()
      #expect(turns.output.components(separatedBy: "example.org").count == 4, "\(turns.output)")
      try await BusProgram.other("nfc-list", on: reader).expectSuccess()
    }

    /// The system does not prevent two programs from using one chip.
    @Test(arguments: buses) func aBusInUseIsNotTouched(_ bus: BusReader.Bus) async throws {
      let (reader, _) = try Self.reader(bus)
      let both = try await BusProgram.shell(
        """
        timeout --signal=INT 2 "$NFC" poll --reader "$READER" > /dev/null 2>&1 &
        sleep 1
        "$NFC" read --reader "$READER"
        code=$?
        wait
        exit $code
        """, on: reader)
      #expect(both.status == 69, "\(both.output)\(both.errors)")
      #expect(both.errors.contains("in use"), "\(both.errors)")
    }

    // MARK: What stands in the way

    @Test(
      arguments: buses, [BusReader.Condition.absent, .absentAndLow, .unplugged(5)])
    func cannotBeOpened(_ bus: BusReader.Bus, _ condition: BusReader.Condition) async throws {
      let (reader, _) = try Self.reader(bus)
      let start = ContinuousClock.now
      let read = try await BusProgram.nfc("read", on: reader, [condition])
      #expect(ContinuousClock.now - start < .seconds(15))
      #expect(read.status == 69, "\(read.output)\(read.errors)")
      #expect(read.errors.contains("nfc: no reader answers"), "\(read.errors)")
    }

    @Test func anAddressThatAModuleOfTheKernelHasIsNamed() async throws {
      let (reader, _) = try Self.reader(.i2c)
      let read = try await BusProgram.nfc("read", on: reader, [.busy])
      #expect(read.status == 69, "\(read.output)\(read.errors)")
      #expect(read.errors.contains("module of the kernel"), "\(read.errors)")
    }

    /// The wires are disconnected at any transfer. The result is an error that says so within a limited
    /// time, or the message if it has already been read; the tag can be read again.
    @Test(arguments: buses, [40, 110])
    func unpluggedAtATransfer(_ bus: BusReader.Bus, _ transfer: Int) async throws {
      let (reader, _) = try Self.reader(bus)
      let start = ContinuousClock.now
      let read = try await BusProgram.nfc(
        "read", "--timeout", "3", on: reader, [.unplugged(transfer)])
      #expect(ContinuousClock.now - start < .seconds(20))
      if read.status == 0 {
        #expect(read.output.contains("example.org"))
      } else {
        #expect([66, 69, 74].contains(read.status), "\(read.status) \(read.output)\(read.errors)")
        #expect(read.errors.contains("nfc: "))
      }
      try await BusProgram.nfc("read", on: reader).expectSuccess()
    }
  }
}
