import Testing
import TestSupport
import VirtualNFC

/// Tests libnfc's own programs on a USB reader: the requirements that every program has for the rig.
@Suite(.serialized) struct RigTests {
  private static let identifier = "04  db  0b  da  99  3c  80"

  @Test(arguments: USBReader.Model.allCases) func findsATag(_ model: USBReader.Model) async throws {
    let reader = try USBReader(model, .ntag215(), .suica())
    let list = try await USBProgram.other("nfc-list", on: reader)
    list.expectSuccess()
    #expect(list.output.contains(Self.identifier))
    #expect(list.output.contains("ID (NFCID2): 01  01  06  12  b4  1c  7d  2a"))
    // nfc-list requests searches that a PN533 refuses.
    #expect(list.errors == "" || model == .scl3711)
    #expect(!reader.field.isPowered)
  }

  @Test(arguments: USBReader.Model.allCases) func readsAWholeTag(_ model: USBReader.Model)
    async throws
  {
    let tag = VirtualTag.ntag215()
    let reader = try USBReader(model, tag)
    let read = try await USBProgram.other("nfc-mfultralight", "r", "/dev/null", on: reader)
    read.expectSuccess()
    #expect(read.output.contains("135 of 135 pages read"))
  }

  /// Several programs run in turn; each finds the state that the previous one has left.
  @Test(arguments: USBReader.Model.allCases)
  func programsInTurn(_ model: USBReader.Model) async throws {
    let reader = try USBReader(model, .ntag215())
    for _ in 0..<3 {
      #expect(try await USBProgram.other("nfc-list", on: reader).output.contains(Self.identifier))
    }
  }

  @Test(arguments: USBReader.Model.allCases, [USBReader.Condition.busy, .denied])
  func cannotBeOpened(_ model: USBReader.Model, _ condition: USBReader.Condition) async throws {
    let reader = try USBReader(model, .ntag215())
    let list = try await USBProgram.other("nfc-list", on: reader, condition)
    #expect(!list.output.contains(Self.identifier))
    // The configuration of an SCL3711 is already set when libnfc searches for readers.
    #expect(
      list.errors.contains("Unable to open NFC device") == (model == .acr122u), "\(list.errors)")
  }

  @Test(arguments: USBReader.Model.allCases, [1, 4, 9, 14])
  func unpluggedAtATransfer(_ model: USBReader.Model, _ transfer: Int) async throws {
    let reader = try USBReader(model, .ntag215())
    let list = try await USBProgram.other("nfc-list", on: reader, .unplugged(transfer))
    #expect(!list.output.contains(Self.identifier), "\(list.errors)")
  }

  /// The answer to a command arrives after libnfc has given up.
  @Test func anAnswerComesTooLate() async throws {
    let reader = try USBReader(.acr122u, .ntag215())
    let list = try await USBProgram.other("nfc-list", on: reader, .late(8, milliseconds: 1500))
    #expect(list.errors.contains("Timeout"), "\(list.errors)")
  }
}
