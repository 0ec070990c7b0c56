import TestSupport
import Testing

@testable import NFCDiagnosis

/// USB readers that libnfc drives, and what stands in their way.
@Suite struct USBDiagnosisTests {
  private static let freed = "sudo modprobe -r pn533_usb pn533 nfc"

  /// The ids of libnfc 1.8.0 (drivers/acr122_usb.c, drivers/pn53x_usb.c).
  @Test(arguments: [
    ("072f", "2200", "acr122_usb"), ("072f", "90cc", "acr122_usb"), ("072f", "2214", "acr122_usb"),
    ("04cc", "0531", "pn53x_usb"), ("04cc", "2533", "pn53x_usb"), ("04e6", "5591", "pn53x_usb"),
    ("04e6", "5594", "pn53x_usb"), ("054c", "0193", "pn53x_usb"), ("054c", "02e1", "pn53x_usb"),
    ("1fd3", "0608", "pn53x_usb"),
  ])
  func namesAFreeReader(_ vendor: String, _ product: String, _ driver: String) throws {
    let system = try SimulatedSystem()
    try system.usb("1-2.3", vendor, product, address: "001:012")
    let diagnosis = system.diagnosis()
    let reader = try #require(diagnosis.readers.first)
    #expect(diagnosis.readers.count == 1)
    #expect(reader.connectionString == "\(driver):001:012")
    #expect(reader.usb == "\(vendor):\(product)".uppercased())
    #expect(reader.place?.contains("1-2.3") == true)
    #expect(reader.findings == [])
    #expect(reader.canBeOpened && diagnosis.hasReader)
    #expect(diagnosis.findings == [])
  }

  @Test func otherDevicesAreNotReaders() throws {
    let system = try SimulatedSystem()
    try system.usb("usb1", "1d6b", "0002", address: "001:001", name: "xHCI Host Controller")
    try system.usb("1-1", "046d", "c077", address: "001:002", name: "USB Optical Mouse")
    let diagnosis = system.diagnosis()
    #expect(diagnosis.readers == [])
    #expect(!diagnosis.hasReader)
  }

  /// With descriptors of an ACR122U that has no interface, libnfc's driver ends the program.
  @Test(arguments: [("2200", [ReaderDiagnosis.Problem.notThisReader]), ("0531", [])])
  func descriptorsAreBroken(_ product: String, _ problems: [ReaderDiagnosis.Problem]) throws {
    let system = try SimulatedSystem()
    try system.usb("1-2", problems.isEmpty ? "04cc" : "072f", product)
    let device: [UInt8] = [0x12, 0x01] + [UInt8](repeating: 0, count: 15) + [0x01]
    try system.file(
      "/sys/bus/usb/devices/1-2/descriptors", device + [0x09, 0x02, 0x09, 0, 0, 1, 0, 0x80, 0x64])
    let reader = try #require(system.diagnosis().readers.first)
    #expect(reader.problems == problems)
  }

  @Test(arguments: ["pn533_usb", "pn533"])
  func theKernelHasIt(_ module: String) throws {
    let system = try SimulatedSystem()
    try system.usb("1-2", "072f", "2200", driver: module)
    let reader = try #require(system.diagnosis().readers.first)
    #expect(reader.problems == [.kernelDriver])
    // The next command opens it.
    #expect(reader.canBeOpened)
    #expect(reader.findings.first?.detail.contains(module) == true)
    #expect(reader.advice.contains(Self.freed))
    #expect(reader.advice.contains("echo 'blacklist \(module)' | sudo tee -a /etc/modprobe.d/"))
  }

  /// modprobe.d(5): dashes are as good as underscores; a file hides those of its name in later
  /// folders.
  @Test(arguments: [
    ("blacklist nfc\nblacklist pn533\nblacklist pn533_usb\n", true),
    ("  blacklist\tpn533-usb", true), ("install pn533_usb /bin/false\n", true),
    // Old files lack the third line.
    ("blacklist nfc\nblacklist pn533\n", false), ("# blacklist pn533_usb\n", false),
    ("install pn533_usb /sbin/modprobe --ignore-install pn533_usb\n", false), ("", false),
  ])
  func aBlacklistIsSeen(_ content: String, _ isBlocked: Bool) throws {
    for folder in ["/etc/modprobe.d", "/usr/lib/modprobe.d"] {
      let system = try SimulatedSystem()
      try system.usb("1-2", "04e6", "5591", driver: "pn533_usb")
      try system.file(folder + "/blacklist-libnfc.conf", content)
      let reader = try #require(system.diagnosis().readers.first)
      #expect(reader.problems == [.kernelDriver])
      #expect(reader.advice.contains(Self.freed))
      #expect(reader.advice.contains("udevadm control --reload") == isBlocked)
      #expect(reader.advice.contains("sudo tee") == !isBlocked)
    }
  }

  @Test func aFileHidesOneOfItsName() throws {
    let system = try SimulatedSystem()
    try system.usb("1-2", "04e6", "5591", driver: "pn533_usb")
    try system.file("/usr/lib/modprobe.d/blacklist-libnfc.conf", "blacklist pn533_usb\n")
    try system.file("/etc/modprobe.d/blacklist-libnfc.conf", "# nothing\n")
    let reader = try #require(system.diagnosis().readers.first)
    #expect(reader.advice.contains("sudo tee"))
  }

  @Test func nothingHereDrivesAnRCS380() throws {
    let system = try SimulatedSystem()
    try system.usb("1-2", "054c", "06c3", driver: "port100")
    let reader = try #require(system.diagnosis().readers.first)
    #expect(reader.name == "Sony RC-S380/P")
    #expect(reader.problems == [.notSupported])
    #expect(reader.connectionString == nil && !reader.canBeOpened)
    #expect(reader.findings.map(\.detail) == ["neither libnfc nor the PC/SC service drives it"])
    #expect(reader.advice.contains("nfcpy"))
    #expect(reader.advice.contains("sudo modprobe -r port100"))
  }

  /// A reader that nothing drives is named, so that nobody looks for it (charlysan/pyrfidhid#8, nfc-tools/libnfc#628,
  /// MiczFlor/RPi-Jukebox-RFID#27).
  @Test(
    arguments: [
      ("ffff", "0035", "Sycreader USB HID READER", "03", "01", "types the UIDs of tags"),
      ("ffff", "0035", nil, "03", "01", "USB device FFFF:0035 types the UIDs of tags"),
      ("08ff", "0009", "SYC ID&IC USB Reader", "03", "01", "types the UIDs of tags"),
      ("1234", "5678", "125kHz RFID", "03", "01", "types the UIDs of tags"),
      (
        "6869", "1256", "NSCCN wCopy smart reader", "03", "00",
        "6869:1256 is not driven by anything"
      ),
      ("1234", "5678", "Example NFC Port", "FF", "00", "1234:5678 is not driven by anything"),
      ("1234", "5678", "PN5321 board", nil, nil, "1234:5678 is not driven by anything"),
      ("1234", "5678", "Barcode Reader", "03", "01", nil),
      ("1234", "5678", "Gaming Keyboard", "03", "01", nil),
      ("1234", "5678", "SD Card Reader", "08", "50", nil),
      ("1234", "5678", nil, "03", "01", nil),
    ] as [(String, String, String?, String?, String?, String?)])
  func readersThatNobodyDrives(
    vendor: String, product: String, name: String?, interfaceClass: String?, protocol: String?,
    detail: String?
  ) throws {
    let system = try SimulatedSystem()
    try system.usb(
      "1-2", vendor, product, name: name, interfaceClass: interfaceClass,
      interfaceProtocol: `protocol`)
    let readers = system.diagnosis().readers
    guard let detail else {
      #expect(readers.isEmpty)
      return
    }
    let reader = try #require(readers.first)
    #expect(reader.problems == [.notSupported] && !reader.canBeOpened)
    #expect(reader.findings.first?.detail.contains(detail) == true, "\(reader.findings)")
    #expect(reader.advice.contains("another reader"))
  }

  // MARK: Other programs

  @Test func aProgramHasIt() throws {
    let system = try SimulatedSystem()
    try system.usb("1-2", "072f", "2200", driver: "usbfs")
    try system.process(321, "nfc-poll", holding: system.node("001:004"))
    try system.process(322, "idle")
    let reader = try #require(system.diagnosis().readers.first)
    #expect(reader.problems == [.inUse])
    #expect(reader.findings.first?.detail.contains("nfc-poll (process 321)") == true)
    #expect(!reader.canBeOpened)
  }

  @Test func aProgramThatIsNotSeenHasIt() throws {
    let system = try SimulatedSystem()
    try system.usb("1-2", "072f", "2200", driver: "usbfs")
    let reader = try #require(system.diagnosis().readers.first)
    #expect(reader.problems == [.inUse])
    #expect(reader.advice.contains("sudo fuser -v /dev/bus/usb/001/004"))
  }

  /// Debian's pcscd is root's: others do not see what it has open.
  @Test func theServiceHasItOutOfSight() throws {
    let system = try SimulatedSystem()
    try system.usb("1-2", "072f", "2200", driver: "usbfs")
    try system.bundle("0x072F", "0x2200", "ACS ACR122U PICC Interface")
    #expect(system.diagnosis().readers.first?.findings.first?.detail.contains("pcscd") == false)
    try system.process(9, "pcscd")
    let reader = try #require(system.diagnosis().readers.first)
    #expect(reader.problems == [.inUse])
    #expect(reader.findings.first?.detail.contains("most likely the PC/SC service (pcscd)") == true)
    #expect(reader.advice.contains("sudo systemctl stop pcscd.socket pcscd.service"))
  }

  @Test func theServiceHasIt() throws {
    let system = try SimulatedSystem()
    try system.usb("1-2", "072f", "2200", driver: "usbfs")
    try system.bundle("0x072F", "0x2200", "ACS ACR122U PICC Interface")
    try system.process(9, "pcscd", holding: system.node("001:004"))
    let shown = "pcsc:ACS ACR122U PICC Interface 00 00"
    let diagnosis = system.diagnosis(.shows([shown]))
    let reader = try #require(diagnosis.readers.first)
    #expect(reader.problems == [.inUse])
    #expect(reader.advice.contains("sudo systemctl stop pcscd.socket pcscd.service"))
    #expect(reader.advice.contains("--reader pcsc:ACR122U;"))
    #expect(reader.advice.contains("PCSCLITE_FILTER_IGNORE_READER_NAMES=ACR122U"))
    // It is the one that can be opened.
    #expect(diagnosis.readers.map(\.connectionString) == ["acr122_usb:001:004", shown])
    #expect(diagnosis.readers.map(\.canBeOpened) == [false, true])
  }

  @Test func theServiceMayTakeIt() throws {
    let system = try SimulatedSystem()
    try system.usb("1-2", "072f", "2200")
    try system.bundle("0x072F", "0x2200", "ACS ACR122U PICC Interface")
    #expect(system.diagnosis().readers.first?.findings == [])
    #expect(system.asksService)

    try system.file("/run/pcscd/pcscd.comm")
    let reader = try #require(system.diagnosis().readers.first)
    #expect(reader.problems == [.sharedWithService])
    #expect(reader.findings.first?.advice.hasSuffix("after libnfc, plug it in again") == true)
    #expect(reader.canBeOpened)
    #expect(!system.asksService)

    try system.process(9, "pcscd")
    #expect(system.asksService)
    try system.file(
      "/etc/default/pcscd", "PCSCLITE_FILTER_IGNORE_READER_NAMES=\"Other:ACR122U\"\n")
    #expect(system.diagnosis().readers.first?.findings == [])
  }

  // MARK: Node, power, search

  @Test func withoutANode() throws {
    let system = try SimulatedSystem()
    try system.usb("1-2", "072f", "2200", mode: nil)
    try system.folder("/dev/bus")
    let container = try #require(system.diagnosis().readers.first)
    #expect(container.problems == [.noDeviceNode])
    #expect(container.advice.contains("-v /dev/bus/usb:/dev/bus/usb"))
    try system.file("/run/udev/control")
    let gone = try #require(system.diagnosis().readers.first)
    #expect(gone.problems == [.noDeviceNode])
    #expect(!gone.advice.contains("container"))
  }

  @Test(arguments: [
    ("auto", "suspended", true), ("auto", "active", false), ("on", "suspended", false),
  ])
  func sleepIsOnlyNoted(_ control: String, _ status: String, _ isNoted: Bool) throws {
    let system = try SimulatedSystem()
    try system.usb("1-2", "072f", "2200")
    try system.file("/sys/bus/usb/devices/1-2/power/control", control + "\n")
    try system.file("/sys/bus/usb/devices/1-2/power/runtime_status", status + "\n")
    let reader = try #require(system.diagnosis().readers.first)
    #expect(reader.problems == (isNoted ? [.powerSaving] : []))
    #expect(reader.canBeOpened)
  }

  @Test func aSearchThatIsSwitchedOffIsNoted() throws {
    let system = try SimulatedSystem()
    try system.usb("1-2", "072f", "2200")
    system.environment["LIBNFC_AUTO_SCAN"] = "false"
    let reader = try #require(system.diagnosis().readers.first)
    #expect(reader.problems == [.notSearched])
    #expect(reader.canBeOpened)
  }

  /// All that has to be cured, in the order in which it has to be.
  @Test func moreThanOneThingIsInTheWay() throws {
    let system = try SimulatedSystem()
    try system.usb("1-2", "072f", "2200", driver: "pn533_usb", mode: 0o600)
    let reader = try #require(system.diagnosis().readers.first)
    #expect(reader.problems == [.kernelDriver, .noPermission])
    #expect(!reader.canBeOpened)
  }

  // MARK: By name

  @Test(arguments: [
    ("acr122_usb:001:004", []), ("usb:001:004", []),
    ("pn53x_usb:001:004", [ReaderDiagnosis.Problem.notThisReader]),
    ("acr122_usb:001:002", [.notThisReader]), ("acr122_usb:001:009", [.notThere]),
    // libnfc compares them as text.
    ("acr122_usb:1:4", [.notThere]),
    // libnfc would open the first device of the bus.
    ("acr122_usb:001", [.connectionString]), ("usb:001:", [.connectionString]),
    ("acr122_usb:", [.connectionString]), ("acr122_usb", [.connectionString]),
  ])
  func aNamedReader(_ name: String, _ problems: [ReaderDiagnosis.Problem]) throws {
    let system = try SimulatedSystem()
    try system.usb("1-1", "046d", "c077", address: "001:002", name: "USB Optical Mouse")
    try system.usb("1-2", "072f", "2200")
    let reader = system.reader(name)
    #expect(reader.problems == problems)
    #expect(reader.canBeOpened == problems.isEmpty)
    if problems == [.notThere] { #expect(reader.advice.contains("acr122_usb:001:004")) }
    if name.hasPrefix("pn53x") { #expect(reader.advice.contains("acr122_usb:001:004")) }
    if name.hasSuffix("002") {
      #expect(reader.findings.first?.detail.contains("USB Optical Mouse") == true)
    }
  }
}
