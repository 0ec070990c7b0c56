import NFC
import SwiftNFCPCSC
import SwiftNFCSystemFacts
import TestSupport
import Testing

@testable import NFCDiagnosis

/// Readers of the PC/SC service, and the service itself.
@Suite struct SmartCardDiagnosisTests {
  private static let title = "ACS ACR1252 Dual Reader"
  private static let shown = "pcsc:ACS ACR1252 Dual Reader [ACR1252 Dual Reader PICC] (RR5) 00 00"
  /// `SCARD_E_NO_SERVICE` (pcsclite.h).
  private static let noService = NFCError(
    .readerUnavailable, "start pcscd",
    cause: .driver(
      .init(domain: "pcsc", code: 0x8010_001D as UInt32, text: "Service not available.")))

  private func systemWithReader() throws -> SimulatedSystem {
    let system = try SimulatedSystem()
    try system.usb("1-4", "072f", "223b")
    try system.bundle("0x072F", "0x223B", Self.title)
    return system
  }

  @Test func aReaderThatTheServiceShows() throws {
    let diagnosis = try systemWithReader().diagnosis(.shows(["pcsc:Other 00 00", Self.shown]))
    #expect(diagnosis.readers.map(\.connectionString) == [Self.shown, "pcsc:Other 00 00"])
    #expect(diagnosis.readers.allSatisfy { $0.canBeOpened && $0.findings == [] })
    #expect(diagnosis.readers.first?.usb == "072F:223B")
    #expect(diagnosis.findings == [])
  }

  @Test func twoReadersOfOneModel() throws {
    let system = try systemWithReader()
    try system.usb("1-5", "072f", "223b", address: "001:005")
    let names = [Self.shown, "pcsc:\(Self.title) [ACR1252 Dual Reader PICC] (RR6) 01 00"]
    #expect(system.diagnosis(.shows(names)).readers.map(\.connectionString) == names)
    let one = system.diagnosis(.shows([Self.shown]))
    #expect(one.readers.map(\.problems) == [[], [.notInService]])
  }

  @Test func aReaderThatTheServiceDoesNotShow() throws {
    let diagnosis = try systemWithReader().diagnosis(.shows([]))
    let reader = try #require(diagnosis.readers.first)
    #expect(reader.problems == [.notInService])
    #expect(reader.advice.contains("sudo systemctl restart pcscd"))
    #expect(!diagnosis.hasReader)
  }

  @Test func aReaderWithoutADriver() throws {
    let system = try SimulatedSystem()
    try system.usb("1-4", "072f", "2303")
    let bare = try #require(system.diagnosis().readers.first)
    #expect(bare.name == "ACS ACR1552U")
    #expect(bare.problems == [.noServiceDriver])
    #expect(bare.advice.contains("sudo apt install libccid pcscd"))
    // Debian 12's libccid is too old for it.
    try system.bundle("0x072F", "0x223B", Self.title)
    let reader = try #require(system.diagnosis().readers.first)
    #expect(reader.problems == [.noServiceDriver])
    #expect(reader.advice.contains("libccid 1.5.3 or newer"))
  }

  /// Not in our tables: named as the driver names it.
  @Test func aReaderThatOnlyTheDriverKnows() throws {
    let system = try SimulatedSystem()
    try system.usb("1-4", "076b", "5022")
    #expect(system.diagnosis().readers == [])
    try system.bundle("0x076B", "0x5022", "HID Global OMNIKEY 5022 Smart Card Reader")
    let reader = try #require(system.diagnosis(.unreachable(Self.noService)).readers.first)
    #expect(reader.name == "HID Global OMNIKEY 5022 Smart Card Reader")
    #expect(reader.problems == [.noService])
  }

  /// By what there is of the service.
  @Test(arguments: [
    ([String](), "sudo apt install pcscd libccid"),
    (["/usr/sbin/pcscd"], "sudo pcscd"),
    (["/usr/sbin/pcscd", "/run/systemd/system/x"], "sudo systemctl enable --now pcscd.socket"),
    (["/usr/sbin/pcscd", "/run/pcscd/pcscd.comm"], "sudo pcscd"),
    (
      ["/usr/sbin/pcscd", "/run/systemd/system/x", "/run/pcscd/pcscd.comm"],
      "sudo systemctl restart pcscd.socket pcscd.service"
    ),
  ])
  func aServiceThatDoesNotRun(_ present: [String], _ advice: String) throws {
    let system = try systemWithReader()
    for path in present { try system.file(path) }
    let diagnosis = system.diagnosis(.unreachable(Self.noService))
    let reader = try #require(diagnosis.readers.first)
    #expect(reader.problems == [.noService])
    #expect(reader.advice.hasPrefix(advice))
    #expect(diagnosis.findings == [])
  }

  /// Without a reader it is worth a note; with one of libnfc's it is nobody's trouble.
  @Test func aServiceThatNobodyNeeds() throws {
    let system = try SimulatedSystem()
    try system.folder("/sys/bus/usb/devices")
    let diagnosis = system.diagnosis(.unreachable(Self.noService))
    #expect(diagnosis.problems == [.noService])
    #expect(diagnosis.findings.first?.isObstacle == false)
    try system.usb("1-2", "04e6", "5591", address: "001:005")
    #expect(system.diagnosis(.unreachable(Self.noService)).findings == [])
  }

  @Test func aSocketElsewhere() throws {
    let system = try SimulatedSystem()
    try system.file("/usr/sbin/pcscd")
    system.environment["PCSCLITE_CSOCK_NAME"] = "/elsewhere/pcscd.comm"
    let reader = system.reader("pcsc:ACS", .unreachable(Self.noService))
    #expect(reader.findings.first?.detail.contains("/elsewhere/pcscd.comm is not there") == true)
  }

  @Test func aServiceThatRefuses() throws {
    let refusal = NFCError(
      .readerUnavailable, "no",
      cause: .driver(
        .init(
          domain: "pcsc", code: 0x8010_006A as UInt32, text: "Access denied.",
          meaning: .notPermitted)))
    let reader = try SimulatedSystem().reader("pcsc:ACS", .unreachable(refusal))
    #expect(reader.problems == [.noService])
    #expect(reader.advice.contains("org.debian.pcsc-lite.access_pcsc"))
  }

  @Test func aServiceThatWasNotAsked() throws {
    let reader = try #require(try systemWithReader().diagnosis(.notQueried).readers.first)
    #expect(reader.problems == [.noService])
    #expect(!reader.canBeOpened)
  }

  @Test(arguments: [
    ("pcsc:acr1252", [String](), [ReaderDiagnosis.Problem.notThere]),
    ("pcsc:acr1252", ["pcsc:Virtual PCD 00 00"], [.notThere]),
    ("pcsc:acr1252", ["pcsc:Virtual PCD 00 00", shown], []),
    ("pcsc:", ["pcsc:Virtual PCD 00 00"], []),
    ("pcsc:", [], [.notThere]),
  ])
  func aNamedReader(
    _ name: String, _ readers: [String], _ problems: [ReaderDiagnosis.Problem]
  ) throws {
    let reader = try SimulatedSystem().reader(name, .shows(readers))
    #expect(reader.problems == problems)
    #expect(reader.canBeOpened == problems.isEmpty)
  }

  /// Lists of drivers, and the name that each has for the device.
  static let driverLists: [(String, String?)] = [
    ("<key>ifdVendorID</key><array><string>0x072F</string></array>", nil),
    ("<key>ifdVendorID</key>", nil), ("<array><string>0x072F</string>", nil), ("", nil),
    (
      "<key>ifdVendorID</key><array><string>0x1</string><string>0x072F</string></array>"
        + "<key>ifdProductID</key><array><string>zzzz</string><string>223b</string></array>"
        + "<key>ifdFriendlyName</key><array><string>A</string><string>B &amp; &lt;C</string></array>",
      "B & <C"
    ),
    (
      "<key>ifdVendorID</key><array><string>0x072F</string><string>0x1</array>"
        + "<key>ifdProductID</key><array><string>0x223B</string></array>"
        + "<key>ifdFriendlyName</key><array><string>A", nil
    ),
  ]

  @Test(arguments: driverLists)
  func listsOfDrivers(_ text: String, _ name: String?) throws {
    let system = try SimulatedSystem()
    try system.usb("1-4", "072f", "223b")
    try system.file("/usr/lib/pcsc/drivers/x.bundle/Contents/Info.plist", text)
    let device = try #require(USBDevice.all(system.files)?.first)
    #expect(DriverBundles(system.files).name(of: device) == name)
  }
}
