import SwiftNFCCore
import SwiftNFCReaderExamination
import SwiftNFCSystemFacts

// Readers on USB.
extension LibNFCExamination {
  /// The kernel module that takes libnfc's readers, under its name and that of older kernels.
  private static let kernelModules = ["pn533_usb", "pn533"]
  /// The group of libnfc's udev rules, and the package that has them.
  private static let group = "plugdev"
  private static let rulesPackage = "libnfc6"

  /// Returns a reader that libnfc drives.
  func reader(on device: USBDevice, _ others: OtherSources) -> ExaminedReader? {
    guard let model = USBModel.of(device), let driver = model.libnfcDriver else { return nil }
    var reader = ExaminedReader(device, name: model.name)
    reader.connectionString = "\(driver):\(device.address)"
    reader.emulation = DriverTraits.named(driver)?.emulation
    reader.findings = findings(of: device, model, others)
    if !configuration.searches {
      reader.findings.append(
        ReaderFinding(
          .notSearched, "libnfc's configuration keeps it from looking for USB readers",
          advice: "name it by --reader, or set allow_autoscan = true in "
            + "\(LibNFCConfiguration.folder)/libnfc.conf",
          isObstacle: false))
    }
    return reader
  }

  /// Returns the problems of a program that opens a USB device itself, in the order in which to
  /// solve them.
  private func findings(
    of device: USBDevice, _ model: USBModel, _ others: OtherSources
  ) -> [ReaderFinding] {
    let users = system.users(of: device)
    var findings = [users.kernelModule.map(kernelDriver)].compactMap(\.self)
    guard system.files.exists(device.node) else {
      return findings + [nodeIsMissing(device.node, advice: USBDevice.passThroughToContainer)]
    }
    if USBModel.followsDescriptors(vendor: device.vendor, product: device.product),
      let bytes = system.files.bytes("/sys/bus/usb/devices/\(device.port)/descriptors"),
      !USBDescriptors.areSound(bytes)
    {
      findings.append(
        ReaderFinding(
          .notThisReader, "its USB descriptors are broken, so libnfc must not open it",
          advice: "plug it in again; if that does not help, it is defective"))
    }
    let contention = others.contention(for: device)
    if users.isInUse { findings.append(contention ?? inUse(device, users.programs)) }
    let access = NodeRights.USBAccess(
      device: device, rules: system.rules, group: Self.group,
      rulesOf: model.isInLibNFCRules ? Self.rulesPackage : nil)
    if let finding = permission(device.node, access) { findings.append(finding) }
    if users.isFree, let contention { findings.append(advised(contention, model)) }
    if device.isSuspended(system.files) {
      findings.append(
        ReaderFinding(
          .powerSaving, "the system has put it to sleep to save power",
          advice: "if it fails after a pause: echo on | sudo tee \(device.powerSwitch)",
          isObstacle: false))
    }
    return findings
  }

  /// A module of the kernel is no obstacle: whoever may open the device may also take it off the module, which every
  /// command does (``USBAccess/checkFree()``).
  private func kernelDriver(_ driver: String) -> ReaderFinding {
    let module = driver.replacing("-", with: "_")
    let detail = "the kernel's module \(driver) has it, and every command takes it off the module"
    guard Self.kernelModules.contains(module) else {
      return ReaderFinding(
        .kernelDriver, detail, advice: "to keep the module away: sudo modprobe -r \(driver)",
        isObstacle: false)
    }
    // pn533_usb depends on pn533, and that on nfc; a module cannot be removed before those that
    // depend on it.
    let now = "sudo modprobe -r pn533_usb pn533 nfc"
    let file = "/etc/modprobe.d/blacklist-libnfc.conf"
    guard system.modules.blocks(module) else {
      return ReaderFinding(
        .kernelDriver, detail,
        advice:
          "to keep the module away now: \(now); permanently: echo 'blacklist \(module)' | sudo tee -a "
          + file, isObstacle: false)
    }
    return ReaderFinding(
      .kernelDriver, detail + ", although a file in modprobe.d blocks it",
      advice:
        "to keep the module away: sudo udevadm control --reload, then \(now), and plug the reader in again; if "
        + "it comes back after a restart: sudo update-initramfs -u", isObstacle: false)
  }

  private func inUse(_ device: USBDevice, _ programs: [Processes.Process]) -> ReaderFinding {
    programs.isEmpty
      ? ReaderFinding(
        .inUse, "a program of another user has it",
        advice: "sudo fuser -v \(device.node) shows which (package psmisc); end it")
      : ReaderFinding(
        .inUse, "\(Processes.list(programs)) \(programs.count == 1 ? "has" : "have") it",
        advice: "end that program")
  }

  /// Adds how to let a reader be used by the other software again after libnfc.
  private func advised(_ note: ReaderFinding, _ model: USBModel) -> ReaderFinding {
    guard model.isLeftWithoutOwnSearch else { return note }
    return ReaderFinding(
      note.problem, note.detail,
      advice: note.advice + "; to use it over PC/SC after libnfc, plug it in again",
      isObstacle: note.isObstacle)
  }

  // MARK: One by its address

  func examineUSB(
    _ driver: String, _ address: String, _ reader: inout ExaminedReader, _ others: OtherSources
  ) {
    guard let device = system.devices.first(where: { $0.address == address }) else {
      reader.findings = [noDevice(at: address)]
      return
    }
    let name = name(of: device) ?? others.name(of: device) ?? device.ownName ?? "another device"
    reader.usb = device.identifiers
    reader.place = "USB port \(device.port), \(name)"
    guard let model = USBModel.of(device), let own = model.libnfcDriver else {
      reader.findings = [
        ReaderFinding(
          .notThisReader, "at \(address) is \(name), which libnfc does not drive",
          advice: "addresses change when a device is plugged in; nfc doctor lists the readers")
      ]
      return
    }
    // `usb` tries every USB driver.
    guard driver == own || driver == "usb" else {
      reader.findings = [
        ReaderFinding(
          .notThisReader, "\(name) has another driver", advice: "name it by \(own):\(address)")
      ]
      return
    }
    reader.findings = findings(of: device, model, others)
  }

  private func noDevice(at address: String) -> ReaderFinding {
    let there = system.devices.compactMap { device in
      USBModel.of(device)?.libnfcDriver.map { "\($0):\(device.address)" }
    }
    return ReaderFinding(
      .notThere, "no USB device has the address \(address)",
      advice: there.isEmpty
        ? "plug it in; the address is new each time, three digits for the bus and three for the device"
        : "the address is new each time a reader is plugged in; now there is "
          + there.joined(separator: ", "))
  }
}
