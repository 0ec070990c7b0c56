import Foundation
import VirtualNFC

/// An ACR122U that a private PC/SC daemon has claimed, with Debian's driver for such readers (libccid).
///
/// Programs that run beside the daemon find the reader on the USB bus, where libnfc cannot claim it, and in
/// the daemon's list. A ``VirtualPCSCReader`` converts a tag to the form in which the reader's firmware shows
/// it to smart-card programs.
///
/// ```
///   nfc, …            libnfc, libusb  ──▶ usbfs requests ──▶ usb_reader.py: in use
///   (child process)   pcsc-lite ──▶ pcscd, libccid ──▶ CCID ──▶ card_slot.py ──▶ VirtualPCSCReader ─▶ tag
/// ```
public final class USBService: Sendable {
  public let reader: USBReader
  private let client: VirtualPCSCClient
  private let ports = PortPair()
  // The name of the socket has at most 107 bytes.
  private let folder = URL(filePath: "/tmp/pcsc-usb-\(UUID().uuidString.prefix(8))")

  /// The daemon's name for the reader.
  public static let name = "ACS ACR122U PICC Interface 00 00"

  /// - Parameter tag: the tag on the reader.
  public init(_ tag: VirtualTag) throws {
    reader = try USBReader(.acr122u)
    let virtual = VirtualPCSCReader(reader.field, dialect: .directTransmit, name: Self.name)
    // The client connects as soon as there is a tag and the rig listens.
    client = try VirtualPCSCClient(virtual, port: ports.first)
    reader.field.place(tag)
  }

  deinit {
    client.close()
    try? FileManager.default.removeItem(at: folder)
  }

  /// Returns the command line that runs a program beside the daemon: an executable and its arguments.
  public func command(_ program: [String]) throws -> (executable: String, arguments: [String]) {
    let files = ["/usr/sbin/pcscd", "/usr/lib/pcsc/drivers/ifd-ccid.bundle", "/usr/bin/unshare"]
    for file in files where !FileManager.default.fileExists(atPath: file) {
      throw Rig.MissingProgram(path: file)
    }
    return try reader.command(
      ["/bin/sh", Rig.script("service.sh"), folder.path, reader.notes.path] + program,
      [.servesCards(port: ports.first)])
  }
}
