import Foundation
import NFCCore
import Testing
import TestSupport
import VirtualNFC

/// Tests the `nfc` command on USB readers, with libnfc's drivers acr122_usb and pn53x_usb.
@Suite(.serialized)
struct USBCommandTests {
  private static let models = USBReader.Model.allCases
  private func reader(_ model: USBReader.Model) throws -> (USBReader, VirtualTag) {
    let tag = try VirtualTag.ntag216(ndef: ReadFault.message)
    let reader = try USBReader(model)
    reader.field.place(tag)
    return (reader, tag)
  }

  @Test(arguments: models) func reads(_ model: USBReader.Model) async throws {
    let (reader, _) = try reader(model)
    let read = try await USBProgram.nfc("read", on: reader)
    read.expectSuccess()
    #expect(read.output.contains("example.org"))
  }

  @Test(arguments: models) func writes(_ model: USBReader.Model) async throws {
    let (reader, tag) = try reader(model)
    let text = String(repeating: "a long text ", count: 40)
    try await USBProgram.nfc("write", "text", text, "--verify", on: reader).expectSuccess()
    #expect(String(decoding: tag.memory, as: UTF8.self).contains(text))
    #expect(try await USBProgram.nfc("read", on: reader).output.contains(text))
  }

  @Test(arguments: models) func polls(_ model: USBReader.Model) async throws {
    let (reader, tag) = try reader(model)
    let poll = try await USBProgram.nfc("poll", "--once", on: reader)
    poll.expectSuccess()
    #expect(poll.output.contains(tag.identifier.hexadecimal))
  }

  /// A chip that refuses raw frames until it has found a target: no search that needs them ends the round.
  @Test func pollsOnAnRCS360() async throws {
    let (reader, tag) = try reader(.rcs360)
    let poll = try await USBProgram.nfc("poll", "--once", on: reader)
    poll.expectSuccess()
    #expect(poll.output.contains(tag.identifier.hexadecimal))
    try await USBProgram.nfc("read", on: reader).expectSuccess()
  }

  @Test(arguments: models) func dumpsAndInforms(_ model: USBReader.Model) async throws {
    let (reader, _) = try reader(model)
    let file = FileManager.default.temporaryDirectory.appending(path: "nfc-\(UUID()).bin")
    defer { try? FileManager.default.removeItem(at: file) }
    try await USBProgram.nfc("dump", file.path, on: reader).expectSuccess()
    let info = try await USBProgram.nfc("info", on: reader)
    info.expectSuccess()
    #expect(info.output.contains("NTAG216"))
  }

  /// The reader is disconnected at any transfer. The result is an error that says so, within a limited
  /// time, and the tag can be read again.
  @Test(arguments: models, [1, 3, 6, 9, 12, 16, 20, 25])
  func unpluggedAtATransfer(_ model: USBReader.Model, _ transfer: Int) async throws {
    let (reader, _) = try reader(model)
    let read = try await USBProgram.nfc("read", on: reader, .unplugged(transfer))
    if read.status == 0 {
      // It was disconnected after everything had been read.
      #expect(read.output.contains("example.org"))
    } else {
      #expect([69, 74].contains(read.status), "\(read.status) \(read.output)\(read.errors)")
      #expect(read.errors.contains("nfc: "))
    }
    try await USBProgram.nfc("read", on: reader).expectSuccess()
  }

  @Test(arguments: models, [USBReader.Condition.busy, .denied])
  func cannotBeOpened(_ model: USBReader.Model, _ condition: USBReader.Condition) async throws {
    let (reader, _) = try reader(model)
    let read = try await USBProgram.nfc("read", on: reader, condition)
    #expect(read.status == 69, "\(read.output)\(read.errors)")
    #expect(read.errors.hasPrefix("nfc: "))
  }
}
