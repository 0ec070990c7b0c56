import Foundation
import SwiftNFCSystemFacts
import TestSupport
import Testing

/// Files, rights and settings of a system, whatever they are needed for.
@Suite struct SystemFactsTests {
  /// Opening a device could do something to it, and a pipe may wait for ever.
  @Test(arguments: SimulatedSystem.Misfit.allCases)
  func onlyFilesAreRead(_ misfit: SimulatedSystem.Misfit) throws {
    let system = try SimulatedSystem()
    try system.place(misfit, at: "/etc/file")
    let bytes = system.files.bytes("/etc/file")
    switch misfit {
    case .garbage, .longGarbage, .zeros: #expect(bytes?.isEmpty == false)
    case .huge: #expect(bytes?.count == 1 << 20)
    case .folder, .loop, .danglingLink, .pipe, .device: #expect(bytes == nil)
    // Root may read it.
    case .unreadable: #expect(bytes == nil || geteuid() == 0)
    }
  }

  @Test func aPortThatOnlyRootMayUse() throws {
    let system = try SimulatedSystem()
    try system.file("/dev/spidev0.0", mode: 0o600)
    try system.file("/run/udev/control")
    try system.file("/etc/group", "root:x:\(getegid()):\ndialout:x:20:\n")
    let rights = NodeRights(system.files)
    let advice = try #require(rights.refusal("/dev/spidev0.0")).advice
    #expect(advice.contains(#"KERNEL=="spidev0.0", MODE="0660", GROUP="dialout""#))
    #expect(advice.contains("sudo adduser $USER dialout"))
  }

  @Test(arguments: [
    (#"ATTR{idVendor}=="072f", ATTR{idProduct}=="2200", TAG+="uaccess""#, true, String?.none),
    (#"ATTRS{idVendor}=="072F",ATTRS{idProduct}=="2200",GROUP:="nfc""#, true, "nfc"),
    (#"ATTRS{idVendor}=="072f", ATTRS{idProduct}=="2200", \"# + "\n  MODE=\"0666\"", true, nil),
    (#"ATTRS{idVendor}=="072f", ATTRS{idProduct}=="2200", ATTR{power/control}="on""#, false, nil),
    (#"ATTRS{idVendor}=="072f", ATTRS{idProduct}=="2201", MODE="0666""#, false, nil),
    (#"# ATTRS{idVendor}=="072f", ATTRS{idProduct}=="2200", MODE="0666""#, false, nil),
    (#"ATTRS{idVendor}==072f, ATTRS{idProduct}=="2200", MODE="0666""#, false, nil),
    (#"ATTRS{idVendor}=="072f"#, false, nil),
  ])
  func rulesThatGiveAccess(_ text: String, _ isOne: Bool, _ group: String?) throws {
    let system = try SimulatedSystem()
    try system.file("/etc/udev/rules.d/60-own.rules", text + "\n")
    let rule = SettingsFolders.rules(system.files).access(vendor: 0x072F, product: 0x2200)
    #expect((rule != nil) == isOne)
    #expect(rule?.group == group)
  }

  /// This process and its own login.
  @Test func theOwnLogin() throws {
    let login = Login.own
    #expect(login.userID == geteuid())
    #expect(login.groupIDs.contains(getegid()))
    #expect(login.refusal("/dev/null") == nil)
    #expect(login.refusal("/nowhere/at/all") == ENOENT)
  }

  /// Not by the mode, but by what a container is allowed.
  @Test func aContainerForbidsAPort() throws {
    let system = try SimulatedSystem()
    try system.file("/dev/ttyUSB0")
    let login = Login(userID: 0, groupIDs: [0]) { _ in EPERM }
    let files = SystemFiles(root: system.root.path, login: login) { _ in nil }
    let refusal = try #require(NodeRights(files).refusal("/dev/ttyUSB0"))
    #expect(refusal.advice.contains("--device /dev/ttyUSB0"))
  }

  /// By a module of the kernel, by a program, or by a program that this login does not see.
  @Test func whoHasADevice() throws {
    let system = try SimulatedSystem()
    func users() throws -> SystemSnapshot.USBUsers {
      let snapshot = SystemSnapshot(system.files)
      return snapshot.users(of: try #require(snapshot.devices.first))
    }
    try system.usb("1-2", "072f", "2200")
    #expect(try users().isFree)
    try system.process(7, "reader", holding: system.node("001:004"))
    #expect(try users().isInUse && users().programs.map(\.command) == ["reader"])
    try system.usb("1-2", "072f", "2200", driver: "pn533_usb")
    #expect(try users().kernelModule == "pn533_usb" && users().isInUse && !users().isFree)

    let hidden = try SimulatedSystem()
    try hidden.usb("1-2", "072f", "2200", driver: "usbfs")
    let snapshot = SystemSnapshot(hidden.files)
    let unseen = snapshot.users(of: try #require(snapshot.devices.first))
    #expect(unseen.isInUse && unseen.programs.isEmpty && unseen.kernelModule == nil)
  }
}
