import Foundation
import TestSupport
import Testing
import VirtualNFC

/// Tests an ACR122U that a PC/SC daemon uses, as on a desktop with such a daemon. libnfc lists the reader
/// but cannot open it, and commands reach it through the daemon. The daemon, its driver for such readers,
/// libnfc and libusb are Debian's own.
@Suite(.serialized) struct ServiceTests {
  private func service() throws -> (USBService, VirtualTag) {
    let tag = try VirtualTag.ntag215(ndef: ReadFault.message)
    return (try USBService(tag), tag)
  }

  /// Expects that no program has taken the reader from the daemon; libnfc would, by a reset.
  private func expectUndisturbed(
    _ service: USBService, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let history = service.reader.history
    #expect(history.filter { $0 != "released" } == ["plugged", "claimed"], "\(history)")
  }

  @Test func bothAreListed() async throws {
    let (service, _) = try service()
    let readers = try await USBProgram.nfc("readers", beside: service)
    readers.expectSuccess()
    let lines = readers.output.split(separator: "\n")
    let own = lines.first { $0.hasPrefix("acr122_usb:001:002") }
    #expect(own?.contains("cannot be opened: another program has") == true, "\(readers.output)")
    let other = lines.first { $0.hasPrefix("pcsc:\(USBService.name)") }
    #expect(other?.contains("iso14443a") == true, "\(readers.output)")
    expectUndisturbed(service)
  }

  /// The commands do not name the reader.
  @Test(arguments: [["poll", "--once", "--timeout", "10"], ["read", "--timeout", "10"]])
  func commandsReachTheTag(_ command: [String]) async throws {
    let (service, tag) = try service()
    let arguments = command.joined(separator: " ")
    let run = try await USBProgram.shell("\"$NFC\" \(arguments)", beside: service)
    run.expectSuccess()
    let expected = command[0] == "poll" ? tag.identifier.hexadecimal : "example.org"
    #expect(run.output.contains(expected), "\(run.output)\(run.errors)")
    expectUndisturbed(service)
  }

  @Test func writesThroughTheService() async throws {
    let (service, tag) = try service()
    let write = try await USBProgram.nfc(
      "write", "text", "by the service", "--verify", "--timeout", "10", beside: service)
    write.expectSuccess()
    #expect(String(decoding: tag.memory, as: UTF8.self).contains("by the service"))
    expectUndisturbed(service)
  }

  /// Each tap is reported once, regardless of the source that has shown the reader first.
  @Test func watchReportsATapOnce() async throws {
    let (service, tag) = try service()
    // A second report would arrive within the two seconds.
    let watch = try await USBProgram.shell(
      USBProgram.watches(andThen: .seconds(2)), beside: service)
    let taps = watch.output.split(separator: "\n").filter { $0.contains("\"event\":\"tap\"") }
    #expect(taps.count == 1, "\(watch.output)\(watch.errors)")
    #expect(taps.first?.contains(tag.identifier.hexadecimal) == true)
    expectUndisturbed(service)
  }

  /// A command that names libnfc's reader reports the program that uses it.
  @Test func aNamedReaderIsInUse() async throws {
    let (service, _) = try service()
    let read = try await USBProgram.nfc(
      "read", "--reader", "acr122_usb:001:002", beside: service)
    #expect(read.status == 69, "\(read.output)\(read.errors)")
    #expect(read.errors.contains("another program has acr122_usb:001:002"), "\(read.errors)")
    expectUndisturbed(service)
  }
}
