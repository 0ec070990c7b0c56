import Foundation
import SwiftNFCCore
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

  /// The chip is the one that the reader reports, because many names do not contain it.
  @Test(arguments: [
    (USBReader.Model.acr122u, "PN532"), (.scl3711, "PN533"), (.rcs360, "RC-S956"),
  ])
  func namesTheChip(_ model: USBReader.Model, _ chip: String) async throws {
    let (reader, _) = try reader(model)
    let readers = try await USBProgram.nfc("readers", "--json", on: reader)
    readers.expectSuccess()
    #expect(readers.output.contains("\"chip\":\"\(chip)\""), "\(readers.output)")
    let isolated = try await USBProgram.nfc(
      "readers", "--json", "--reader", "isolated:" + reader.connectionString, on: reader)
    #expect(
      isolated.output.contains("\"chip\":\"\(chip)\""), "\(isolated.output)\(isolated.errors)")
  }

  /// FAST_READ of 65 pages has 260 bytes. An ACR122U carries 250 of an answer, and the tag is not at fault.
  @Test func saysThatAnAnswerIsTooLong() async throws {
    let (reader, _) = try reader(.acr122u)
    let send = try await USBProgram.nfc("mifare", "send", "3A 00 40", on: reader)
    #expect(send.status == 74, "\(send.output)\(send.errors)")
    #expect(send.errors.contains("longer than the reader can receive"), "\(send.errors)")
    try await USBProgram.nfc("mifare", "send", "3A 00 3D", on: reader).expectSuccess()
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

  /// An ACR122U, with the content of its only configuration.
  private static func descriptors(interfaces: UInt8 = 1, _ content: [UInt8]) -> [UInt8] {
    let device: [UInt8] = [
      0x12, 0x01, 0x10, 0x01, 0x00, 0x00, 0x00, 0x08, 0x2F, 0x07, 0x00, 0x22, 0x14, 0x02, 0x01,
      0x02, 0x00, 0x01,
    ]
    let length = UInt8(9 + content.count)
    return device + [0x09, 0x02, length, 0x00, interfaces, 0x01, 0x00, 0x80, 0x64] + content
  }

  private static let interface: [UInt8] = [0x09, 0x04, 0x00, 0x00, 0x02, 0x0B, 0x00, 0x00, 0x00]
  /// Bulk endpoints whose packets have no bytes.
  private static let endpoints: [UInt8] = [
    0x07, 0x05, 0x02, 0x02, 0x00, 0x00, 0x00, 0x07, 0x05, 0x82, 0x02, 0x00, 0x00, 0x00,
  ]
  private static let brokenDescriptors: [[UInt8]] = [
    descriptors(interfaces: 0, []), descriptors([]), descriptors(interface),
    descriptors(interface + endpoints),
  ]

  /// With these, libnfc's driver ends the process, also when readers are only listed.
  @Test(arguments: brokenDescriptors)
  func survivesBrokenDescriptors(_ descriptors: [UInt8]) async throws {
    let (reader, _) = try reader(.acr122u)
    let list = try await USBProgram.nfc("readers", on: reader, .descriptors(descriptors))
    #expect([0, 69].contains(list.status), "\(list.status) \(list.output)\(list.errors)")
    for name in [[], ["--reader", reader.connectionString]] {
      let read = try await USBProgram.nfc(["read"] + name, on: reader, .descriptors(descriptors))
      #expect(read.status == 69, "\(read.status) \(read.output)\(read.errors)")
      #expect(read.errors.hasPrefix("nfc: "))
    }
  }
}
