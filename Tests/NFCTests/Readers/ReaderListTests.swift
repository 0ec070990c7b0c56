import SwiftNFCCore
import SwiftNFCLibNFC
import SwiftNFCUSB
import Testing

@testable import NFC

/// Which readers there are, and what they are called.
@Suite struct ReaderListTests {
  private static func device(
    _ vendor: UInt16, _ product: UInt16, number: UInt8, ports: [UInt8], serial: String? = nil
  ) -> USBIdentity {
    USBIdentity(
      vendor: vendor, product: product, bus: 1, number: number, ports: ports, serialNumber: serial,
      manufacturerName: "ACS", productName: "Reader \(number)")
  }

  private static let acr122 = device(0x072F, 0x2200, number: 4, ports: [2, 3])
  private static let scl3711 = device(0x04E6, 0x5591, number: 2, ports: [1], serial: "S1")

  private static func pcsc(_ names: [String]) -> [FoundReader] {
    names.map { FoundReader(ReaderAddress($0)) }
  }

  /// A reader that both drive is libnfc's; of others none is left out.
  @Test(
    arguments: [
      ([acr122], ["pcsc:ACS ACR122U PICC Interface 00 00"], ["acr122_usb:001:004"]),
      (
        [acr122], ["pcsc:ACS ACR1552 PICC 00 00"],
        ["acr122_usb:001:004", "pcsc:ACS ACR1552 PICC 00 00"]
      ),
      (
        [scl3711], ["pcsc:SCM SCL3711 00 00", "pcsc:ACS ACR122U PICC 01 00"],
        ["pn53x_usb:001:002", "pcsc:ACS ACR122U PICC 01 00"]
      ),
      ([], ["pcsc:ACS ACR122U PICC 00 00"], ["pcsc:ACS ACR122U PICC 00 00"]),
      ([], [], []),
    ] as [([USBIdentity], [String], [String])])
  func listsAReaderOnce(_ devices: [USBIdentity], _ pcsc: [String], _ expected: [String]) {
    let found = LibNFCSource.found([], devices: devices)
    let merged = ReaderSearch.merged(found, Self.pcsc(pcsc))
    #expect(merged.map(\.address.description) == expected)
  }

  /// Where the system shows no USB devices, libnfc's names are all there is to go by.
  @Test func recognizesDuplicatesOnlyByTheDriver() {
    let found = LibNFCSource.found(["acr122_usb:001:004"], devices: [])
    let merged = ReaderSearch.merged(found, Self.pcsc(["pcsc:ACS ACR122U 00 00"]))
    #expect(merged.map(\.address.description) == ["acr122_usb:001:004"])
  }

  /// Where the configuration forbids the search (`allow_autoscan = false`), only what it names is listed.
  @Test func listsNothingThatIsNotToBeSearched() throws {
    let found = LibNFCSource.found(
      ["acr122_usb:001:004"], devices: [Self.scl3711, Self.acr122], searches: false)
    #expect(found.map(\.address.description) == ["acr122_usb:001:004"])
    #expect(found.first?.aliases.isEmpty == false)
  }

  /// libnfc leaves out a reader that it cannot get at; it is there all the same.
  @Test func listsWhatLibnfcLeavesOut() throws {
    let found = LibNFCSource.found(
      ["pn532_uart:/dev/ttyUSB0", "acr122_usb:001:004"], devices: [Self.scl3711, Self.acr122])
    #expect(
      found.map(\.address.description)
        == ["pn532_uart:/dev/ttyUSB0", "acr122_usb:001:004", "pn53x_usb:001:002"])
    let acr122 = try #require(found.first { $0.address == "acr122_usb:001:004" })
    #expect(acr122.name == "ACS Reader 4")
    #expect(acr122.aliases == ["usb:1-2.3"])
    let scl3711 = try #require(found.last)
    #expect(scl3711.aliases == ["usb:serial=S1", "usb:1-1"])
    #expect(scl3711.answers(to: "usb:1-1"))
    #expect(scl3711.isSame(as: FoundReader("usb:serial=S1")))
    #expect(!scl3711.isSame(as: acr122))
  }

  @Test func changesAreTheDifferenceOfTwoLists() {
    let (a, b, c) = (FoundReader("x:a"), FoundReader("x:b"), FoundReader("x:c"))
    #expect(
      ReaderChanges.Iterator.changes(from: [a, b], to: [b, c]) == [.disappeared(a), .appeared(c)])
    #expect(ReaderChanges.Iterator.changes(from: [a], to: [a]).isEmpty)
  }

  @Test(
    arguments: [
      ("pn532_uart:/dev/ttyUSB0:115200", "pn532_uart", "/dev/ttyUSB0:115200"),
      ("pcsc:", "pcsc", ""), ("nonsense", "nonsense", nil), ("", "", nil), (":", "", ""),
    ] as [(String, String, String?)])
  func anAddressHasASchemeAndTheRest(_ text: String, _ scheme: String, _ rest: String?) {
    let address = ReaderAddress(text)
    #expect(address.scheme == scheme)
    #expect(address.rest == rest)
    #expect(address.description == text)
  }
}
