import Foundation
import SwiftNFCLibNFC
import SwiftNFCSystemFacts
import TestSupport
import Testing

@testable import NFCDiagnosis

/// What to do where this user may not use a node: by its group, its mode, and udev's rules.
@Suite struct PermissionDiagnosisTests {
  /// The line that libnfc's file has for an ACR122U, and others that give no rights.
  private static let rules = """
    # ACR122 / Touchatag
    ATTRS{idVendor}=="072f", ATTRS{idProduct}=="90cc", MODE="0664", GROUP="plugdev"
    ATTRS{idVendor}=="072f", ATTRS{idProduct}=="2200", MODE="0664", GROUP="plugdev"
    ATTR{idVendor}=="072f", ATTR{idProduct}=="2214", GOTO="end"
    """

  private func finding(_ system: SimulatedSystem) throws -> ReaderDiagnosis.Finding {
    let reader = try #require(system.diagnosis().readers.first)
    #expect(reader.problems == [.noPermission])
    return try #require(reader.findings.first)
  }

  @Test func aMemberOfTheGroupMay() throws {
    let system = try SimulatedSystem()
    try system.usb("1-2", "072f", "2200", mode: 0o664)
    try system.nameGroup("plugdev", members: SimulatedSystem.user)
    system.groupIDs = [getegid()]
    #expect(system.diagnosis().readers.first?.findings == [])
  }

  @Test func whoIsNotAMemberJoins() throws {
    let system = try SimulatedSystem()
    try system.usb("1-2", "072f", "2200", mode: 0o664)
    try system.nameGroup("plugdev", members: "grace, charles")
    let finding = try finding(system)
    #expect(finding.detail.contains(":plugdev, mode 0664"))
    #expect(finding.advice == "sudo adduser $USER plugdev, then log out and in again")
  }

  /// On disk since this login began: only a new one has the group.
  @Test func whoHasJoinedLogsInAgain() throws {
    let system = try SimulatedSystem()
    try system.usb("1-2", "072f", "2200", mode: 0o660)
    try system.nameGroup("plugdev", members: "grace,\(SimulatedSystem.user)")
    let finding = try finding(system)
    #expect(finding.advice.contains("log out and in again"))
    #expect(!finding.advice.contains("adduser"))
  }

  @Test func withoutItsRule() throws {
    let system = try SimulatedSystem()
    try system.usb("1-2", "072f", "2200", mode: 0o600)
    try system.nameGroup("root")
    try system.file("/run/udev/control")
    let finding = try finding(system)
    #expect(finding.advice.contains("sudo apt install --reinstall libnfc6"))
    #expect(finding.advice.contains("sudo udevadm control --reload"))
  }

  /// libnfc drives it, and its rules leave it out.
  @Test func aReaderThatNoRuleKnows() throws {
    let system = try SimulatedSystem()
    try system.usb("1-2", "072f", "2214", mode: 0o664)
    try system.nameGroup("root")
    try system.file("/run/udev/control")
    try system.file("/lib/udev/rules.d/93-pn53x.rules", Self.rules)
    let finding = try finding(system)
    #expect(
      finding.advice.contains(
        #"SUBSYSTEM=="usb", ATTR{idVendor}=="072f", ATTR{idProduct}=="2214", MODE="0660", "#
          + #"GROUP="plugdev""#))
    #expect(!finding.advice.contains("libnfc6"))
  }

  @Test func aRuleWithoutEffect() throws {
    let system = try SimulatedSystem()
    try system.usb("1-2", "072f", "2200", mode: 0o664)
    try system.file("/etc/group", "root:x:\(getegid()):\nplugdev:x:4242:\n")
    try system.file("/run/udev/control")
    try system.file("/lib/udev/rules.d/93-pn53x.rules", Self.rules)
    let finding = try finding(system)
    #expect(finding.advice.contains("93-pn53x.rules has a rule that did not take effect"))
    #expect(finding.advice.contains("plug it in again"))
    #expect(finding.advice.contains("sudo adduser $USER plugdev"))
  }

  @Test func aRuleWhoseGroupIsMissing() throws {
    let system = try SimulatedSystem()
    try system.usb("1-2", "072f", "2200", mode: 0o664)
    try system.nameGroup("root")
    try system.file("/run/udev/control")
    try system.file("/etc/udev/rules.d/93-pn53x.rules", Self.rules)
    let finding = try finding(system)
    #expect(finding.advice.contains("sudo groupadd --system plugdev"))
  }

  /// A link to nothing hides the file of that name in the later folders.
  @Test func aRuleThatIsMasked() throws {
    let system = try SimulatedSystem()
    try system.usb("1-2", "072f", "2200", mode: 0o600)
    try system.nameGroup("root")
    try system.file("/lib/udev/rules.d/93-pn53x.rules", Self.rules)
    try system.link("/etc/udev/rules.d/93-pn53x.rules", to: "/dev/null")
    let finding = try finding(system)
    #expect(finding.advice.contains("libnfc6"))
    #expect(finding.advice.contains("no udev runs here"))
  }

  /// Not by the mode, but by what a container is allowed.
  @Test func aContainerForbidsIt() throws {
    let system = try SimulatedSystem()
    try system.usb("1-2", "072f", "2200")
    let login = Login(userID: 0, groupIDs: [0]) { _ in EPERM }
    let files = SystemFiles(root: system.root.path, login: login) { _ in nil }
    let reader = try #require(
      Examination(SystemSnapshot(files), by: [LibNFCSource()]).diagnosis().readers.first)
    #expect(reader.problems == [.noPermission])
    #expect(reader.advice.contains("--device-cgroup-rule='c 189:* rmw'"))
  }
}
