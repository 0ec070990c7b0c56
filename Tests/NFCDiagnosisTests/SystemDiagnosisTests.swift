import Foundation
import NFC
import TestSupport
import Testing

@testable import NFCDiagnosis

/// Where a system has no reader to show, and files that are not as they should be.
@Suite struct SystemDiagnosisTests {
  @Test(arguments: [
    ("/proc/version", "Linux version 5.15.90.1-microsoft-standard-WSL2", "usbipd attach --wsl"),
    ("/.dockerenv", "", "--device-cgroup-rule"), ("/run/.containerenv", "", "--device-cgroup-rule"),
    ("/sys/class/dmi/id/sys_vendor", "QEMU\n", "pass the reader through"),
    ("/sys/class/dmi/id/product_name", "VirtualBox\n", "pass the reader through"),
  ])
  func usbMustBePassedThrough(_ path: String, _ content: String, _ advice: String) throws {
    let system = try SimulatedSystem()
    try system.folder("/sys/bus/usb/devices")
    #expect(system.diagnosis().findings == [])
    try system.file(path, content)
    let diagnosis = system.diagnosis()
    #expect(diagnosis.problems == [.passThrough])
    #expect(diagnosis.advice.contains(advice))
    // Where a reader is, the system sees it, whatever else stands in its way.
    try system.usb("1-2", "072f", "2200", driver: "pn533_usb")
    #expect(system.diagnosis().findings == [])
  }

  /// Readers of several sources, by their USB ports; then those that a configuration names, and those that only the
  /// service knows.
  @Test func readersComeInOrder() throws {
    let system = try SimulatedSystem()
    let configured = "pn532_uart:/dev/ttyUSB0"
    let models = [
      ("1-1", "072f", "2200"), ("1-2", "072f", "223b"), ("1-3", "054c", "06c3"),
      ("1-4", "04e6", "5591"), ("1-5", "1a86", "7523"), ("1-6", "072f", "2303"),
    ]
    for (number, (port, vendor, product)) in models.enumerated() {
      try system.usb(port, vendor, product, address: "001:00\(number)")
    }
    try system.folder("/sys/bus/usb/devices/1-5:1.0/ttyUSB1")
    try system.bundle("0x072F", "0x223B", "ACS ACR1252 Dual Reader")
    system.environment["LIBNFC_DEVICE"] = configured
    let readers = system.diagnosis(
      .shows(["pcsc:Other 00 00", "pcsc:ACS ACR1252 Dual Reader 01 00"])
    ).readers
    #expect(readers.prefix(6).map(\.usb) == models.map { "\($0.1):\($0.2)".uppercased() })
    #expect(
      readers.map(\.connectionString) == [
        "acr122_usb:001:000", "pcsc:ACS ACR1252 Dual Reader 01 00", nil, "pn53x_usb:001:003",
        "pn532_uart:/dev/ttyUSB1", nil, configured, "pcsc:Other 00 00",
      ])
  }

  @Test func aSystemWithoutUSB() throws {
    let diagnosis = try SimulatedSystem().diagnosis()
    #expect(diagnosis.readers == [])
    #expect(diagnosis.problems == [.passThrough])
    #expect(diagnosis.findings.first?.detail.contains("shows no USB") == true)
  }

  @Test(arguments: [
    ("pn532_uart:/dev/ttyUSB0", "HSU"), ("pn532_i2c:/dev/i2c-1", "i2cdetect"),
    ("pn532_spi:/dev/spidev0.0:1000000", "pn532_spi:/dev/spidev0.0:500000"),
    ("acr122_usb:001:004", "pcsc:ACR122"), ("pn53x_usb:001:004", "plug it in again"),
    ("pcsc:ACS", "restart pcscd"), ("arygon:/dev/ttyS0", "cable"),
  ])
  func aReaderThatDoesNotAnswer(_ name: String, _ advice: String) {
    let error = NFCError(.readerUnavailable, "no reader answers")
    let finding = ReaderDiagnosis.Finding.noAnswer(name, error)
    #expect(finding.problem == .noAnswer && finding.isObstacle)
    #expect(finding.detail.contains("no reader answers"))
    #expect(finding.advice.contains(advice))
  }

  // MARK: Files that are not as they should be

  /// Every file that is looked at.
  private static let paths = [
    "/etc/nfc/libnfc.conf", "/etc/nfc/devices.d/x.conf", "/etc/passwd", "/etc/group",
    "/etc/default/pcscd", "/etc/modprobe.d/x.conf", "/lib/udev/rules.d/x.rules",
    "/usr/lib/pcsc/drivers/x.bundle/Contents/Info.plist", "/run/pcscd/pcscd.comm",
    "/sys/bus/usb/devices/9-9/idVendor", "/sys/bus/usb/devices/9-9/idProduct",
    "/sys/bus/usb/devices/9-9/busnum", "/sys/bus/usb/devices/9-9/devnum",
    "/sys/bus/usb/devices/9-9/product", "/sys/bus/usb/devices/1-2/product",
    "/sys/bus/usb/devices/1-2/power/control", "/proc/cmdline", "/proc/version",
    "/sys/class/dmi/id/sys_vendor", "/proc/66/comm",
  ]

  @Test(arguments: SimulatedSystem.Misfit.allCases)
  func whateverIsInAFilesPlace(_ misfit: SimulatedSystem.Misfit) throws {
    let system = try SimulatedSystem()
    try system.usb("1-2", "072f", "2200")
    for path in Self.paths {
      try? FileManager.default.removeItem(at: system.url(path))
      try system.place(misfit, at: path)
    }
    let diagnosis = system.diagnosis()
    // The reader that is there is still found, and no other.
    #expect(diagnosis.readers.filter(\.canBeOpened).map(\.usb) == ["072F:2200"])
    let strange = diagnosis.findings.filter { $0.problem != .configuration }
    #expect(strange == [])
  }

  @Test(arguments: SimulatedSystem.Misfit.allCases)
  func whateverIsInANodesPlace(_ misfit: SimulatedSystem.Misfit) throws {
    let system = try SimulatedSystem()
    try system.usb("1-2", "072f", "2200", mode: nil)
    try system.place(misfit, at: "/dev/bus/usb/001/004")
    try system.place(misfit, at: "/dev/ttyUSB0")
    #expect(system.diagnosis().readers.count == 1)
    let port = system.reader("pn532_uart:/dev/ttyUSB0")
    #expect(port.canBeOpened == (misfit == .device))
  }

  @Test func foldersThatAreFiles() throws {
    let system = try SimulatedSystem()
    for path in [
      "/sys/bus/usb/devices", "/proc", "/etc/nfc", "/etc/modprobe.d", "/lib/udev/rules.d",
      "/usr/lib/pcsc/drivers", "/dev",
    ] {
      try system.file(path, "no folder")
    }
    let diagnosis = system.diagnosis()
    #expect(diagnosis.readers == [])
    #expect(diagnosis.problems == [.passThrough])
  }

  /// The system that the tests run on, whatever it is.
  @Test func theOwnSystemIsTolerated() async {
    let diagnosis = await ReaderDiagnosis.current()
    for reader in diagnosis.readers {
      #expect(reader.canBeOpened || !reader.findings.isEmpty)
      #expect(!reader.wasOpened)
    }
  }
}
