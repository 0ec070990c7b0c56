import NFC
import Testing

@testable import SwiftNFCLibNFC

extension LibNFCTests {
  /// What libnfc's drivers can carry, and which readers are looked for.
  @Suite struct DriverTraitsTests {
    /// A USB driver of libnfc takes 200 ms off before it first looks for an answer.
    @Test(arguments: ["acr122_usb", "pn53x_usb", "usb"], [Int32(1), 100, 200, 201, 300, 5000])
    func aUSBDriverIsLeftAWholePassAndTheTimeThatWasRequested(
      _ driver: String, _ asked: Int32
    ) throws {
      let timeout = try #require(DriverTraits.named(driver)).timeout(asked)
      #expect(timeout - 200 > 200 || timeout >= 401)
      #expect(timeout - 200 >= asked)
    }

    /// A time that 32 bits cannot hold after the addition is the longest, not the shortest.
    @Test func theLongestTimeStaysTheLongest() throws {
      #expect(try #require(DriverTraits.named("acr122_usb")).timeout(.max) == .max)
    }

    @Test func aSerialDriverGetsWhatWasRequestedAndNeverWaitsForEver() throws {
      let traits = try #require(DriverTraits.named("pn532_uart"))
      #expect(traits.timeout(100) == 100)
      #expect(traits.timeout(0) == 1)
      #expect(traits.timeout(-1) == 1)
    }

    /// Errors of libusb, which `pn53x_usb` passes on, are said in words, too.
    @Test(arguments: [
      (Int32(-19), "no such reader"), (-108, "no such reader"),
      (-110, "the reader did not answer in time"), (-32, "error on USB: Broken pipe"),
      (-6, "the reader did not answer in time"),
    ])
    func errorsOfLibusbAreSaidInWords(_ code: Int32, _ text: String) {
      let failure = LibNFC.Failure(code: code)
      #expect(failure.text == text)
      #expect(failure.isOfLine)
    }

    @Test(arguments: [
      ("acr122_usb", 252, 250), ("pn53x_usb", 262, 262), ("pn532_uart", 262, 262),
      ("pn532_spi", 262, 262), ("pn532_i2c", 262, 251), ("arygon", 252, 252), ("ACR122S", 252, 250),
    ])
    func limits(_ driver: String, _ command: Int, _ response: Int) throws {
      let traits = try #require(DriverTraits.named(driver))
      #expect(traits.maximumCommandLength == command)
      #expect(traits.maximumResponseLength == response)
    }

    /// The drivers pcsc, acr122_pcsc and pn71xx, which some distributions build.
    @Test func readersOfDriversThatAreNotSupportedAreNotListed() {
      #expect(
        LibNFCDriver.usable([
          "acr122_usb:001:002", "pcsc:ACS ACR1252 Dual Reader [ACR1252 Dual Reader PICC] 00 00",
          "acr122_pcsc:ACS ACR122U PICC Interface 00 00", "pn71xx:0", "", "pn53x_usb:001:003",
        ]) == ["acr122_usb:001:002", "pn53x_usb:001:003"])
    }

    private static let all = ReaderCapabilities(
      technologies: [
        .iso14443a, .iso14443b, .feliCa, .jewel, .iso14443bPrime, .iso14443b2sr, .iso14443b2ct,
        .barcode, .iClass,
      ], bitRates: [.iso14443a: [106], .barcode: [106]], maximumCommandLength: 262,
      maximumResponseLength: 262)

    /// Sony's RC-S956 refuses the raw frames of the searches by hand, and a PN531 has no extended frames.
    @Test func aChipOfTheFamilySupportsWhatItsFirmwareDoes() {
      for name in ["PN532 v1.4", "PN532 v1.6", "PN533 v2.7", nil] {
        #expect(LibNFCDriver.capabilities(Self.all, of: name) == Self.all)
      }
      let sony = LibNFCDriver.capabilities(Self.all, of: "PN533 v1.48")
      #expect(sony.technologies == [.iso14443a, .iso14443b, .feliCa, .jewel])
      #expect(sony.bitRates == [.iso14443a: [106]])
      #expect(sony.maximumResponseLength == 262)
      let old = LibNFCDriver.capabilities(Self.all, of: "PN531 v4.2")
      #expect(old.technologies == Self.all.technologies)
      #expect(old.maximumCommandLength == 252 && old.maximumResponseLength == 252)
    }

    private static let ntag = Target.iso14443a(
      ISO14443ATarget(uid: [4, 1, 2, 3, 4, 5, 6], atqa: [0x00, 0x44], sak: 0x00))
    private static let card = Target.iso14443a(
      ISO14443ATarget(uid: [4, 1, 2, 3, 4, 5, 6], atqa: [0x03, 0x44], sak: 0x20))
    private static let feliCa = Target.feliCa(
      FeliCaTarget(
        idm: [UInt8](repeating: 1, count: 8), pmm: [UInt8](repeating: 2, count: 8),
        systemCode: [0x00, 0x03], bitRate: 212))
    private static let feliCaRead: [UInt8] =
      [0x10, 0x06] + [UInt8](repeating: 1, count: 8) + [0x01, 0x0B, 0x00]

    /// An answer in an extended frame makes the driver of Arygon call abort().
    @Test(
      arguments: [
        ([0x3A, 0x04, 0x42], ntag, 252), ([0x3A, 0x04, 0x43], ntag, 256),
        ([0x30, 0x04], ntag, nil),
        ([0x3A, 0x04], ntag, nil), ([0x3A, 0x05, 0x04], ntag, nil),
        ([0x00, 0xB0, 0x00, 0x00, 0xFA], card, 252), ([0x00, 0xB0, 0x00, 0x00, 0x00], card, 258),
        ([0x00, 0xA4, 0x04, 0x00, 0x01, 0xD2, 0x00], card, nil), ([0xB0], card, nil),
        (feliCaRead + [14, 0x80, 0x00], feliCa, 237), (feliCaRead + [15], feliCa, 253),
        (feliCaRead, feliCa, nil),
      ] as [([UInt8], Target, Int?)])
    func noLongAnswerIsRequestedWhereItEndsTheProgram(
      _ command: [UInt8], _ target: Target, _ length: Int?
    ) throws {
      #expect(AnswerLength.asked(by: command, of: target) == length)
      let arygon = try #require(DriverTraits.named("arygon"))
      if let length, length > 252 {
        let error = #expect(throws: NFCError.self) {
          try arygon.checkAnswerLength(of: command, to: target)
        }
        #expect(error?.code == .unsupported && error?.reason.contains("isolated:") == true)
      } else {
        try arygon.checkAnswerLength(of: command, to: target)
      }
      for traits in DriverTraits.all where traits.name != "arygon" {
        try traits.checkAnswerLength(of: command, to: target)
      }
    }

    /// The configuration descriptor of an ACR122U.
    @Test func theEndpointThatAnswersIsInTheDescriptors() {
      let bytes =
        [UInt8](
          hexadecimal: "12011001000000082F07002214020102000109025D00010100806409040000030B000000"
            + "36210001000702000000A00F0000A00F0000008025000000C2010000F7000000000000000000"
            + "0000400002000F010000000000000001070581030800FF070502024000000705820240"
            + "0000") ?? []
      #expect(USBInput.endpoint(in: bytes) == 0x82)
      for length in bytes.indices { _ = USBInput.endpoint(in: Array(bytes.prefix(length))) }
      #expect(USBInput.endpoint(in: [0x00, 0x00]) == nil)
    }

    private struct MadeUpFiles: ConfigurationFiles {
      let devices: String
      func variable(_ name: String) -> String? { name == "LIBNFC_AUTO_SCAN" ? "false" : nil }
      func names(in path: String) -> [String]? { ["made-up.conf"] }
      func bytes(_ path: String) -> [UInt8]? {
        path.hasSuffix("made-up.conf") ? Array(devices.utf8) : nil
      }
      func isRegularFile(_ path: String) -> Bool? { path.hasSuffix("made-up.conf") }
    }

    @Test func listingWritesNothingToAReaderThatIsInUse() async throws {
      let used = try StubbornChip()
      let free = try StubbornChip()
      let silent = try StubbornChip(manner: .silent)
      let reader = try await Reader.open(used.connectionString)
      let lines = [used, free, silent].map {
        "name = \"made up\"\nconnstring = \"\($0.connectionString)\"\noptional = true\n"
      }
      let configuration = LibNFCConfiguration(MadeUpFiles(devices: lines.joined()))
      #expect(configuration.devices.count == 3)
      let before = used.now.bytes
      #expect(LibNFCDriver.list(configuration) == [used.connectionString, free.connectionString])
      #expect(used.now.bytes == before)
      _ = try await reader.firstTag(polling: .iso14443a, within: .seconds(1))
      await reader.close()
    }
  }
}
