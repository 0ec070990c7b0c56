import Foundation
import SwiftNFCCore
import Testing

/// Tests addresses and readers in settings and logs.
@Suite struct ReaderAddressTests {
  private struct Settings: Codable, Equatable {
    var readers: [ReaderAddress]
  }

  @Test func isTheConnectionStringInSettings() throws {
    let settings = Settings(readers: ["pn532_uart:/dev/ttyUSB0", "pcsc:ACR1552"])
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    let text = #"{"readers":["pn532_uart:/dev/ttyUSB0","pcsc:ACR1552"]}"#
    #expect(try encoder.encode(settings) == Data(text.utf8))
    #expect(try JSONDecoder().decode(Settings.self, from: Data(text.utf8)) == settings)
  }

  @Test(arguments: ["7", "null", #"{"description":"pcsc:A"}"#])
  func isNothingElse(_ value: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Settings.self, from: Data(#"{"readers":[\#(value)]}"#.utf8))
    }
  }

  @Test func aReaderThatWasFoundIsPrintedWithItsName() {
    let address: ReaderAddress = "acr122_usb:001:004"
    #expect("\(FoundReader(address))" == "acr122_usb:001:004")
    #expect("\(FoundReader(address, name: "ACS ACR122U"))" == "acr122_usb:001:004 (ACS ACR122U)")
  }
}
