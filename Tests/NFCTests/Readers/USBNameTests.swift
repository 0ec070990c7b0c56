import SwiftNFCCore
import SwiftNFCUSB
import Testing

@testable import SwiftNFCLibNFC

/// What a person calls a reader on USB.
@Suite struct USBNameTests {
  private static func device(
    number: UInt8, ports: [UInt8], serial: String? = nil, product: UInt16 = 0x2200
  ) -> USBIdentity {
    USBIdentity(
      vendor: 0x072F, product: product, bus: 1, number: number, ports: ports, serialNumber: serial)
  }

  private static let devices = [
    device(number: 4, ports: [2, 3], serial: "A"), device(number: 5, ports: [2, 4], serial: "B"),
    device(number: 6, ports: [1], serial: "twice"), device(number: 7, ports: [3], serial: "twice"),
  ]

  @Test(
    arguments: [
      ("usb:001:004", USBName.address("001:004")), ("acr122_usb:001:004", .address("001:004")),
      ("usb:1-2.3", .port("1-2.3")), ("pn53x_usb:10-1", .port("10-1")),
      ("usb:serial=0 1:2", .serialNumber("0 1:2")),
      ("usb:serial=", nil), ("usb:", nil), ("usb", nil), ("usb:1:4", nil), ("usb:001:004:1", nil),
      ("usb:1-", nil), ("usb:-1", nil), ("usb:1-2..3", nil), ("usb:1-2-3", nil), ("usb:1-x", nil),
      ("usb:999:999", nil), ("pn532_uart:1-2", nil), ("pcsc:serial=1", nil),
    ] as [(ReaderAddress, USBName?)])
  func isRead(_ address: ReaderAddress, _ name: USBName?) {
    #expect(USBName(address) == name)
  }

  @Test(
    arguments: [
      ("usb:1-2.3", "001:004"), ("acr122_usb:1-2.4", "001:005"), ("usb:serial=B", "001:005"),
      ("usb:001:006", "001:006"),
    ] as [(ReaderAddress, String)])
  func leadsToADevice(_ address: ReaderAddress, _ place: String) throws {
    let name = try #require(USBName(address))
    #expect(try name.device(for: address, among: Self.devices).address == place)
  }

  @Test(
    arguments: [
      ("usb:1-9", "no USB device is at usb:1-9"),
      ("usb:serial=C", "no USB device is at usb:serial=C"),
      (
        "usb:serial=twice",
        "2 USB devices have this serial number; name one by its port: usb:1-1 or usb:1-3"
      ),
      (
        "pn53x_usb:1-2.3", "the reader at pn53x_usb:1-2.3 is driven by acr122_usb, not by pn53x_usb"
      ),
    ] as [(ReaderAddress, String)])
  func leadsNowhere(_ address: ReaderAddress, _ reason: String) throws {
    let name = try #require(USBName(address))
    let error = #expect(throws: NFCError.self) {
      try name.device(for: address, among: Self.devices)
    }
    #expect(error?.code == .readerNotFound)
    #expect(error?.reason == reason)
  }
}
