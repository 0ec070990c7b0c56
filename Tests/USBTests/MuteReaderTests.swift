import Foundation
import SwiftNFCCore
import TestSupport
import Testing
import VirtualNFC

/// Tests an ACR122U that answers nothing at all if no tag answers its chip.
///
/// Logs show messages without content for an exchange (libnfc's issue 263) and, on later readers, for every search
/// that finds nothing (issues 570 and 646), after which the chip's own answer may come in place of the next one (issue
/// 570).
@Suite(.serialized)
struct MuteReaderTests {
  /// The error FE, for which the libnfc of Debian reports a time-out, and another one, for which it reports a broken
  /// message.
  static let conditions: [USBReader.Condition] = [
    .mute(searches: false), .mute(), .mute(error: 0x81), .mute(belatedMilliseconds: 5),
    .mute(belatedMilliseconds: 30),
  ]

  /// A MIFARE Ultralight is silent if it is asked for its version, which is how it is identified.
  @Test(arguments: conditions)
  func identifiesATagThatIsSilentForACommand(_ condition: USBReader.Condition) async throws {
    let reader = try USBReader(.acr122u, .ultralight())
    let info = try await USBProgram.nfc("info", on: reader, condition)
    info.expectSuccess()
    #expect(info.output.contains("product       MIFARE Ultralight\n"), "\(info.output)")
  }

  /// A FeliCa card is silent if it is polled for a system that it does not have.
  @Test(arguments: conditions)
  func readsThatACardHasNoNDEF(_ condition: USBReader.Condition) async throws {
    let reader = try USBReader(.acr122u, .suica())
    let read = try await USBProgram.nfc("read", on: reader, condition)
    #expect(read.status == 66, "\(read.output)\(read.errors)")
    #expect(read.errors.contains("holds no NDEF"))
  }

  /// A tag that stays is reported once, whatever is searched for in addition.
  @Test(arguments: conditions)
  func pollsWithoutLosingTheReader(_ condition: USBReader.Condition) async throws {
    let tag = VirtualTag.ntag215()
    let reader = try USBReader(.acr122u, tag)
    let poll = try await USBProgram.nfc("poll", "--timeout", "3", on: reader, condition)
    poll.expectSuccess()
    let lines = poll.output.split(separator: "\n")
    #expect(lines.count == 1 && poll.output.contains(tag.identifier.hexadecimal), "\(poll.output)")
    #expect(poll.errors == "")
  }

  @Test(arguments: conditions)
  func reportsThatThereIsNoTag(_ condition: USBReader.Condition) async throws {
    let reader = try USBReader(.acr122u)
    let read = try await USBProgram.nfc("read", "--timeout", "1", on: reader, condition)
    #expect(read.status == 66, "\(read.output)\(read.errors)")
    #expect(read.errors.split(separator: "\n").count == 1, "\(read.errors)")
  }

  /// A tag that is removed while it is read is lost, and the reader is not.
  @Test(arguments: conditions, [3, 6])
  func distinguishesATagThatHasLeft(_ condition: USBReader.Condition, _ exchange: Int) async throws
  {
    let tag = try VirtualTag.ntag216(ndef: ReadFault.message)
    let reader = try USBReader(.acr122u, tag)
    reader.reader.setFaults([Fault(.tagLeaves, at: .exchange(exchange))])
    let read = try await USBProgram.nfc("read", "--timeout", "2", on: reader, condition)
    #expect([66, 74].contains(read.status), "\(read.status) \(read.output)\(read.errors)")
    #expect(!read.errors.contains("reader failed"), "\(read.errors)")
    reader.reader.setFaults([])
    reader.field.place(tag)
    let again = try await USBProgram.nfc("read", on: reader, condition)
    again.expectSuccess()
  }

  /// What a tag does not answer is not taken for a fault of the line, and a reader that is unplugged is.
  @Test(arguments: conditions, [9, 16])
  func reportsAReaderThatIsUnplugged(_ condition: USBReader.Condition, _ transfer: Int) async throws
  {
    let reader = try USBReader(.acr122u)
    let read = try await USBProgram.nfc(
      "read", "--timeout", "3", on: reader, condition, .unplugged(transfer))
    #expect([66, 69, 74].contains(read.status), "\(read.status) \(read.output)\(read.errors)")
  }
}
