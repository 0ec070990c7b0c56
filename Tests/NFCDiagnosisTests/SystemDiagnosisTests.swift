import Foundation
import NFC
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

  /// What can stand in a file's place.
  enum Misfit: String, CaseIterable, Sendable {
    case garbage, longGarbage, zeros, huge, folder, loop, danglingLink, pipe, device, unreadable
  }

  private func place(_ misfit: Misfit, at path: String, in system: SimulatedSystem) throws {
    switch misfit {
    case .garbage: try system.file(path, (0..<600).map { UInt8(truncatingIfNeeded: $0 &* 151) })
    case .longGarbage:
      var state: UInt64 = 0x9E37_79B9_7F4A_7C15
      let bytes = (0..<60_000).map { _ -> UInt8 in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 33)
      }
      try system.file(path, bytes)
    case .zeros: try system.file(path, [UInt8](repeating: 0, count: 5000))
    case .huge:
      try system.file(path, "x")
      // Sparse: takes no room.
      try #require(truncate(system.url(path).path, 1 << 36) == 0)
    case .folder: try system.folder(path)
    case .loop: try system.link(path, to: (path as NSString).lastPathComponent)
    case .danglingLink: try system.link(path, to: "/nowhere/at/all")
    case .pipe:
      try system.folder((path as NSString).deletingLastPathComponent)
      try #require(mkfifo(system.url(path).path, 0o600) == 0)
    case .device: try system.link(path, to: "/dev/zero")
    case .unreadable: try system.file(path, "a = b\n", mode: 0)
    }
  }

  @Test(arguments: Misfit.allCases)
  func whateverIsInAFilesPlace(_ misfit: Misfit) throws {
    let system = try SimulatedSystem()
    try system.usb("1-2", "072f", "2200")
    for path in Self.paths {
      try? FileManager.default.removeItem(at: system.url(path))
      try place(misfit, at: path, in: system)
    }
    let diagnosis = system.diagnosis()
    // The reader that is there is still found, and no other.
    #expect(diagnosis.readers.filter(\.canBeOpened).map(\.usb) == ["072F:2200"])
    let strange = diagnosis.findings.filter { $0.problem != .configuration }
    #expect(strange == [])
  }

  /// Opening a device could do something to it, and a pipe may wait for ever.
  @Test(arguments: Misfit.allCases)
  func onlyFilesAreRead(_ misfit: Misfit) throws {
    let system = try SimulatedSystem()
    try place(misfit, at: "/etc/file", in: system)
    let bytes = system.files.bytes("/etc/file")
    switch misfit {
    case .garbage, .longGarbage, .zeros: #expect(bytes?.isEmpty == false)
    case .huge: #expect(bytes?.count == 1 << 20)
    case .folder, .loop, .danglingLink, .pipe, .device: #expect(bytes == nil)
    // Root may read it.
    case .unreadable: #expect(bytes == nil || geteuid() == 0)
    }
  }

  @Test(arguments: Misfit.allCases)
  func whateverIsInANodesPlace(_ misfit: Misfit) throws {
    let system = try SimulatedSystem()
    try system.usb("1-2", "072f", "2200", mode: nil)
    try place(misfit, at: "/dev/bus/usb/001/004", in: system)
    try place(misfit, at: "/dev/ttyUSB0", in: system)
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
