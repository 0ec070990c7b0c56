import NFC
import SwiftNFCLibNFC
import SwiftNFCPCSC
import SwiftNFCSystemFacts
import TestSupport
import Testing

@testable import NFCDiagnosis

/// A source from outside this package, whose readers are on USB, beside libnfc and the PC/SC service.
@Suite struct OutsideSourceTests {
  /// Its only reader cannot be opened, and it says why.
  private struct Gates: ReaderSource {
    static let problem = ReaderFinding(.noPermission, "the gate is closed", advice: "open it")

    let name = "gates"
    let schemes = ["gate"]
    var model: (vendor: UInt16, product: UInt16)?

    func readers() -> [FoundReader] { [FoundReader("gate:1", name: "Gate")] }
    func open(_ address: ReaderAddress) throws -> any ReaderDriver {
      throw NFCError(.readerUnavailable, "closed")
    }
    func watch(naming addresses: [ReaderAddress]) -> any ReaderSourceWatch { NoWatch() }
    func findings(about address: ReaderAddress) -> [ReaderFinding] { [Self.problem] }
    func drivesUSBDevice(vendor: UInt16, product: UInt16) -> Bool {
      model.map { $0 == (vendor, product) } ?? false
    }
  }

  private final class NoWatch: ReaderSourceWatch {
    func readers() -> [FoundReader] { [] }
    func wait(atMost timeout: Duration) -> Bool { false }
    var cancel: @Sendable () -> Void { {} }
  }

  /// Without its claim, others take its device for theirs, for a port, or for nobody's.
  @Test(arguments: [
    (UInt16(0x054C), UInt16(0x06C3), "Sony RC-S380/P"), (0x2341, 0x0043, "Arduino Uno"),
    (0x072F, 0x223B, "ACS ACR1252 Dual Reader"),
  ])
  func itsDeviceIsLeftToIt(_ vendor: UInt16, _ product: UInt16, _ name: String) throws {
    let system = try SimulatedSystem()
    let digits = [vendor, product].map { USBDevice.digits($0).lowercased() }
    try system.usb("1-2", digits[0], digits[1], name: name)
    try system.folder("/sys/bus/usb/devices/1-2:1.0/tty/ttyACM0")
    let without = system.diagnosis(.shows([]), and: Gates()).readers
    #expect(without.map(\.name) == [name, "Gate"])
    let readers = system.diagnosis(.shows([]), and: Gates(model: (vendor, product))).readers
    #expect(readers.map(\.name) == ["Gate"])
    #expect(readers.map(\.place) == ["gates"])
    #expect(readers.map(\.findings) == [[Gates.problem]])
  }

  /// pcscd would take its reader if it were started.
  @Test func theServiceIsNotStartedForNothing() throws {
    let system = try SimulatedSystem()
    try system.usb("1-4", "072f", "223b")
    try system.bundle("0x072F", "0x223B", "ACS ACR1252 Dual Reader")
    try system.file("/run/pcscd/pcscd.comm")
    var count = 0
    func ask() -> SmartCardServiceState {
      count += 1
      return .shows([])
    }
    _ = system.examination(asking: ask, and: Gates()).diagnosis()
    #expect(count == 1)
    _ = system.examination(asking: ask, and: Gates(model: (0x072F, 0x223B))).diagnosis()
    #expect(count == 1)
    // It runs already, and is asked.
    try system.process(9, "pcscd")
    _ = system.examination(asking: ask, and: Gates(model: (0x072F, 0x223B))).diagnosis()
    #expect(count == 2)
  }

  @Test func itsReaderIsExaminedByItsAddress() throws {
    let system = try SimulatedSystem()
    let examination = system.examination(and: Gates())
    for (address, name) in [("gate:1", "Gate"), ("gate:2", "gate:2")] {
      let reader = examination.examine(ReaderAddress(address))
      #expect(reader.name == name)
      #expect(reader.findings == [Gates.problem])
    }
  }

  /// What the sources of this package say of their own devices holds for all of them.
  @Test(arguments: [
    (UInt16(0x072F), UInt16(0x2200), true, false), (0x072F, 0x223B, false, true),
    (0x1A86, 0x7523, false, false), (0x054C, 0x06C3, false, false),
  ])
  func sourcesKnowTheirDevices(
    _ vendor: UInt16, _ product: UInt16, _ isLibNFCs: Bool, _ isInService: Bool
  ) {
    #expect(LibNFCSource().drivesUSBDevice(vendor: vendor, product: product) == isLibNFCs)
    guard !isLibNFCs else { return }
    #expect(PCSCSource().drivesUSBDevice(vendor: vendor, product: product) == isInService)
  }
}
