import SwiftNFCLibNFC
import SwiftNFCSystemFacts
import TestSupport
import Testing

@testable import NFCDiagnosis

/// libnfc's configuration, as libnfc 1.8.0 reads it (conf.c, nfc-internal.c).
@Suite struct LibNFCConfigurationTests {
  private static let main = "/etc/nfc/libnfc.conf"
  private static let serial = "pn532_uart:/dev/ttyUSB0"

  private func configuration(_ system: SimulatedSystem) -> LibNFCConfiguration {
    LibNFCConfiguration(system.files)
  }

  @Test(arguments: [
    ("allow_autoscan = true", "allow_autoscan", "true"),
    ("  log_level=1\r", "log_level", "1"),
    (#"device.name = "My Reader""#, "device.name", "My Reader"),
    (#"device.name="My # Reader"  "#, "device.name", "My # Reader"),
    (#"device.name = """#, "device.name", ""),
    ("device.connstring\t=\tpn532_uart:/dev/ttyUSB0", "device.connstring", serial),
  ])
  func aLine(_ text: String, _ key: String, _ value: String) {
    #expect(
      ConfigurationLine(Array(text.utf8)[...], isEnded: true) == .entry(key: key, value: value))
  }

  @Test(arguments: ["", "   \r", "# allow_autoscan = false", "   # indented", "\u{0}garbage"])
  func aLineWithNothing(_ text: String) {
    #expect(ConfigurationLine(Array(text.utf8)[...], isEnded: true) == .nothing)
  }

  @Test(arguments: [
    ("allow_autoscan = false # no", "a comment follows the value"),
    ("device.name = My Reader", "there is a blank in the value"),
    (#"device.name = "My Reader" # mine"#, "there is a blank in the value"),
    (#"device.name = "Reader" # mine"#, "a comment follows the value"),
    (#"device.name = "Reader"#, "quotation marks"), ("allow_autoscan", "not KEY = VALUE"),
    ("allow-autoscan = true", "not KEY = VALUE"), ("= true", "not KEY = VALUE"),
    ("log_level =  ", "no value"),
  ])
  func aLineThatIsNotTaken(_ text: String, _ part: String) throws {
    let system = try SimulatedSystem()
    try system.file(Self.main, "# first\n\(text)\n")
    let flaw = try #require(configuration(system).flaws.first)
    #expect(flaw.place == "\(Self.main), line 2")
    #expect(flaw.reason.contains(part), "\(flaw.reason)")
    #expect(!flaw.advice.isEmpty)
    try system.folder("/sys/bus/usb/devices")
    let diagnosis = system.diagnosis()
    #expect(diagnosis.problems == [.configuration])
    #expect(diagnosis.findings.first?.isObstacle == false)
  }

  /// `BUFSIZ` holds 8191 bytes and a zero.
  @Test func aLineThatIsTooLong() {
    let key = Array("log_level=".utf8)
    for (count, isTaken) in [(8191, true), (8192, false)] {
      let line = key + [UInt8](repeating: UInt8(ascii: "1"), count: count - key.count)
      if case .entry = ConfigurationLine(line[...], isEnded: true) {
        #expect(isTaken)
      } else {
        #expect(!isTaken)
      }
    }
  }

  /// libnfc continues past the end of a word, where an older line may stand.
  @Test func aLastLineWithoutItsEnd() throws {
    let system = try SimulatedSystem()
    try system.file(Self.main, "log_level = 1\nallow_autoscan = no")
    #expect(configuration(system).flaws.map(\.place) == ["\(Self.main), line 2"])
    try system.file(Self.main, "log_level = 1\nallow_autoscan = \"no\"")
    #expect(configuration(system).flaws == [])
  }

  @Test(arguments: [
    ("yes", true), ("true", true), ("1", true), ("no", false), ("false", false), ("0", false),
    ("False", nil), ("off", nil), ("\"\"", nil),
  ])
  func yesAndNo(_ value: String, _ meaning: Bool?) throws {
    let system = try SimulatedSystem()
    try system.file(Self.main, "allow_autoscan = \(value)\n")
    #expect(configuration(system).searches == meaning ?? true)
    #expect(configuration(system).flaws.isEmpty == (meaning != nil))
  }

  // MARK: Devices

  @Test func devicesOfBothPlaces() throws {
    let system = try SimulatedSystem()
    try system.serialPort("/dev/ttyUSB0")
    try system.file(
      Self.main, "device.name = \"One\"\ndevice.connstring = \"\(Self.serial)\"\n")
    try system.file(
      "/etc/nfc/devices.d/two.conf",
      "name = Two\nconnstring = pn532_i2c:/dev/i2c-1\noptional = true\n")
    let devices = configuration(system).devices
    #expect(devices.map(\.name) == ["One", "Two"])
    #expect(devices.map(\.isOptional) == [false, true])
    #expect(configuration(system).flaws == [])
    // The second may be away, and is.
    let diagnosis = system.diagnosis()
    #expect(diagnosis.readers.map(\.connectionString) == [Self.serial])
    #expect(diagnosis.readers.map(\.problems) == [[]])
    #expect(diagnosis.readers.first?.place?.contains(Self.main) == true)
    try system.serialPort("/dev/i2c-1")
    #expect(
      system.diagnosis().readers.map(\.connectionString) == [Self.serial, "pn532_i2c:/dev/i2c-1"])
  }

  @Test func aDeviceThatIsNotThere() throws {
    let system = try SimulatedSystem()
    try system.file("/etc/nfc/devices.d/1.conf", "connstring = \(Self.serial)\n")
    let reader = try #require(system.diagnosis().readers.first)
    #expect(reader.problems == [.notThere, .configuration])
    #expect(reader.findings.last?.detail.contains("/etc/nfc/devices.d/1.conf, line 1") == true)
    #expect(!reader.canBeOpened)
  }

  /// libnfc takes each definition for itself (nfc.c, `nfc_list_devices`): one that is not optional is listed.
  @Test(arguments: [
    ("true", "true", 0), ("true", "false", 1), ("false", "true", 1), ("false", "false", 1),
  ])
  func aDeviceThatIsDefinedTwice(_ first: String, _ second: String, _ count: Int) throws {
    let system = try SimulatedSystem()
    for (name, isOptional) in [("1", first), ("2", second)] {
      try system.file(
        "/etc/nfc/devices.d/\(name).conf",
        "name = \(name)\nconnstring = \(Self.serial)\noptional = \(isOptional)\n")
    }
    #expect(
      system.diagnosis().readers.map(\.connectionString)
        == Array(repeating: Self.serial, count: count))
  }

  /// Advice on how to write it comes from the source that it was intended for.
  @Test(arguments: [
    ("acr122_pcsc:ACS", "write pcsc:"), ("PN532_UART:/dev/ttyUSB0", "write pn532_uart"),
    ("nonsense", "nfc readers"),
  ])
  func aDeviceWhoseAddressIsInvalid(_ address: String, _ advice: String) throws {
    let system = try SimulatedSystem()
    try system.file("/etc/nfc/devices.d/1.conf", "connstring = \(address)\n")
    let reader = try #require(system.diagnosis().readers.first)
    #expect(reader.problems == [.connectionString])
    #expect(reader.advice.contains(advice))
  }

  /// A name that is dropped lets that of the next device take its place.
  @Test func namesThatShift() throws {
    let system = try SimulatedSystem()
    try system.file(
      "/etc/nfc/devices.d/1.conf", "name = My Reader\nconnstring = \(Self.serial)\n")
    try system.file(
      "/etc/nfc/devices.d/2.conf", "name = Two\nconnstring = pn532_i2c:/dev/i2c-1\n")
    let devices = configuration(system).devices
    #expect(devices.map(\.name) == ["Two", ""])
    #expect(devices.map(\.connectionString) == [Self.serial, "pn532_i2c:/dev/i2c-1"])
    #expect(configuration(system).flaws.map(\.place) == ["/etc/nfc/devices.d/1.conf, line 1"])
  }

  @Test func fourDevicesAndNoMore() throws {
    let system = try SimulatedSystem()
    let lines = (0..<5).map {
      "device.name = n\($0)\ndevice.connstring = pn532_uart:/dev/tty\($0)\n"
    }
    try system.file(Self.main, lines.joined())
    #expect(configuration(system).devices.count == 4)
    #expect(configuration(system).flaws.count == 2)
  }

  @Test(arguments: [
    (main, "autoscan = true", "allow_autoscan"), (main, "name = x", "device.name"),
    ("/etc/nfc/devices.d/pn532.conf", "allow_intrusive_scan = true", "name, connstring"),
    ("/etc/nfc/devices.d/pn532.conf", "device.name = x", "name, connstring"),
  ])
  func keysThatAreNotKeys(_ path: String, _ line: String, _ advice: String) throws {
    let system = try SimulatedSystem()
    try system.file(path, line + "\n")
    let flaw = try #require(configuration(system).flaws.first)
    #expect(flaw.reason.contains("knows no key"))
    #expect(flaw.advice.contains(advice))
  }

  @Test func filesThatAreNotRead() throws {
    let system = try SimulatedSystem()
    try system.file("/etc/nfc/devices.d/pn532.conf.sample", "name = x\n")
    try system.folder("/etc/nfc/devices.d/folder.conf")
    try system.folder(Self.main)
    let flaws = configuration(system).flaws
    #expect(
      flaws.map(\.place) == [
        Self.main, "/etc/nfc/devices.d/folder.conf", "/etc/nfc/devices.d/pn532.conf.sample",
      ])
    #expect(flaws.last?.reason.contains("end in .conf") == true)
  }

  // MARK: Variables

  @Test func variablesComeLast() throws {
    let system = try SimulatedSystem()
    try system.file(
      Self.main, "allow_autoscan = true\ndevice.connstring = pn532_i2c:/dev/i2c-1\n")
    system.environment = ["LIBNFC_DEFAULT_DEVICE": "pn532_spi:/dev/spidev0.0"]
    #expect(
      configuration(system).devices.map(\.connectionString)
        == ["pn532_spi:/dev/spidev0.0", "pn532_i2c:/dev/i2c-1"])
    system.environment["LIBNFC_DEVICE"] = Self.serial
    system.environment["LIBNFC_AUTO_SCAN"] = "0"
    #expect(configuration(system).devices.map(\.connectionString) == [Self.serial])
    #expect(!configuration(system).searches)
    #expect(configuration(system).flaws == [])
    system.environment["LIBNFC_AUTO_SCAN"] = "never"
    #expect(configuration(system).flaws.map(\.place) == ["the variable LIBNFC_AUTO_SCAN"])
  }

  @Test func nothingToLookFor() throws {
    let system = try SimulatedSystem()
    try system.file(Self.main, "allow_autoscan = false\n")
    let diagnosis = system.diagnosis()
    #expect(diagnosis.problems.first == .configuration)
    #expect(diagnosis.advice.contains("allow_autoscan = true"))
    // With a device it may be meant so.
    system.environment["LIBNFC_DEVICE"] = Self.serial
    #expect(!system.diagnosis().problems.contains(.configuration))
  }
}
