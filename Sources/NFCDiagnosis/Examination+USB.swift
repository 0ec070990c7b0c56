import NFCLibNFC
import NFCUSB

// Readers on USB that libnfc drives, or nothing does.
extension Examination {
  /// The kernel module that takes libnfc's readers, under its name and that of older kernels.
  private static let kernelModules = ["pn533_usb", "pn533"]

  func reader(_ device: USBDevice, _ model: USBModel?, name: String? = nil) -> ExaminedReader {
    ExaminedReader(
      name: model?.name ?? name ?? device.ownName ?? "USB device", usb: device.identifiers,
      place: "USB port \(device.port)")
  }

  func examine(_ device: USBDevice, _ model: USBModel?, driver: String) -> ExaminedReader {
    var reader = reader(device, model)
    reader.connectionString = "\(driver):\(device.address)"
    reader.findings = findings(of: device)
    if !configuration.searches {
      reader.findings.append(
        Finding(
          .notSearched, "libnfc's configuration keeps it from looking for USB readers",
          advice: "name it by --reader, or set allow_autoscan = true in "
            + "\(LibNFCConfiguration.folder)/libnfc.conf",
          isObstacle: false))
    }
    return reader
  }

  func examineUndriven(_ device: USBDevice, _ model: USBModel?) -> ExaminedReader {
    var reader = reader(device, model)
    let module = device.driver(files).map { "; sudo modprobe -r \($0) frees it for that" }
    reader.findings = [
      Finding(
        .notSupported, "neither libnfc nor the PC/SC service drives it",
        advice: "use another reader; the Python package nfcpy drives this one" + (module ?? ""))
    ]
    return reader
  }

  /// Returns the problems of a program that opens a USB device itself, in the order in which to
  /// solve them.
  func findings(of device: USBDevice) -> [Finding] {
    let driver = device.driver(files)
    var findings: [Finding] = []
    if let driver, driver != "usbfs" { findings.append(kernelDriver(driver)) }
    guard let node = files.node(device.node) else {
      return findings + [nodeIsMissing(device.node, advice: Self.passThroughToContainer)]
    }
    let holders = processes.holders(of: node)
    if !holders.isEmpty || driver == "usbfs" { findings.append(inUse(device, holders)) }
    if let finding = rights.finding(device.node, .init(device: device, rules: rules)) {
      findings.append(finding)
    }
    if holders.isEmpty, driver == nil, let finding = sharing(device) { findings.append(finding) }
    if device.isSuspended(files) {
      findings.append(
        Finding(
          .powerSaving, "the system has put it to sleep to save power",
          advice: "if it fails after a pause: echo on | sudo tee \(device.powerSwitch)",
          isObstacle: false))
    }
    return findings
  }

  private func kernelDriver(_ driver: String) -> Finding {
    let module = driver.replacing("-", with: "_")
    let detail = "the kernel's module \(driver) has it"
    guard Self.kernelModules.contains(module) else {
      return Finding(.kernelDriver, detail, advice: "sudo modprobe -r \(driver)")
    }
    // pn533_usb depends on pn533, and that on nfc; a module cannot be removed before those that
    // depend on it.
    let now = "sudo modprobe -r pn533_usb pn533 nfc"
    let file = "/etc/modprobe.d/blacklist-libnfc.conf"
    guard modules.blocks(module) else {
      return Finding(
        .kernelDriver, detail,
        advice: "now: \(now); permanently: echo 'blacklist \(module)' | sudo tee -a \(file)")
    }
    return Finding(
      .kernelDriver, detail + ", although a file in modprobe.d blocks it",
      advice:
        "sudo udevadm control --reload, then \(now), and plug the reader in again; if it comes "
        + "back after a restart: sudo update-initramfs -u")
  }

  /// - Parameter advice: what to do in a container; elsewhere, udev creates the node.
  func nodeIsMissing(_ path: String, advice: String) -> Finding {
    Finding(
      .noDeviceNode, "the system shows it, but \(path) is not there",
      advice: files.exists("/run/udev/control") ? "plug it in again" : advice)
  }

  /// docker-run(1): `--device` passes only devices that are present at the start.
  static let passThroughToContainer =
    "start the container with -v /dev/bus/usb:/dev/bus/usb --device-cgroup-rule='c 189:* rmw'"

  private func inUse(_ device: USBDevice, _ holders: [Processes.Process]) -> Finding {
    let service = SmartCardServiceState.program
    if holders.contains(where: { $0.command == service }) {
      return Finding(
        .inUse, "the PC/SC service (\(service)) has it", advice: adviceToReleaseFromService(device))
    }
    guard holders.isEmpty else {
      return Finding(.inUse, "\(Self.list(holders)) has it", advice: "end that program")
    }
    // Debian's pcscd runs as root: only root can see its open files.
    if bundles.name(of: device) != nil, processes.isRunning(service) {
      return Finding(
        .inUse, "a program of another user has it, most likely the PC/SC service (\(service))",
        advice: adviceToReleaseFromService(device))
    }
    return Finding(
      .inUse, "a program of another user has it",
      advice: "sudo fuser -v \(device.node) shows which (package psmisc); end it")
  }

  private func adviceToReleaseFromService(_ device: USBDevice) -> String {
    "use it over PC/SC: --reader \(SmartCardServiceState.scheme)\(namePart(device)); or end that: "
      + "sudo systemctl stop pcscd.socket pcscd.service; " + adviceToExcludeService(device)
  }

  static func list(_ holders: [Processes.Process]) -> String {
    let most = 3
    let names = holders.prefix(most).map { "\($0.command) (process \($0.id))" }
    return (names + (holders.count > most ? ["others"] : [])).joined(separator: ", ")
  }

  /// Returns a part of the name that pcscd gives it, without a blank if that is known.
  private func namePart(_ device: USBDevice) -> String {
    let name = bundles.name(of: device) ?? device.ownName ?? device.identifiers
    return Self.namesOfACR122U.first { name.contains($0) } ?? name
  }

  /// pcsc-lite's filter; Debian 12's `pcscd --version` lists it among the features.
  private func adviceToExcludeService(_ device: USBDevice) -> String {
    "permanently, leaving other readers to pcscd: "
      + "echo '\(Self.serviceFilter)\(namePart(device))' | sudo tee -a \(Self.serviceSettings), "
      + "and sudo systemctl restart pcscd"
  }

  /// pcscd opens every reader that it has a driver for as soon as any PC/SC program starts it.
  private func sharing(_ device: USBDevice) -> Finding? {
    guard canBeClaimedByService(device) else { return nil }
    return Finding(
      .sharedWithService, "pcscd claims it, too, as soon as a PC/SC program runs",
      advice: adviceToExcludeService(device) + adviceToGoBack(device), isObstacle: false)
  }

  /// libnfc stops an ACR122U's own search for cards with `FF 00 51 00 00` and leaves it so (libnfc issue 502).
  private func adviceToGoBack(_ device: USBDevice) -> String {
    Self.namesOfACR122U.contains(namePart(device))
      ? "; to use it over PC/SC after libnfc, plug it in again" : ""
  }

  private static let namesOfACR122U = ["ACR122U", "38U"]

  func canBeClaimedByService(_ device: USBDevice) -> Bool {
    guard let name = bundles.name(of: device) else { return false }
    return files.exists(SmartCardServiceState.socket(files)) && !isExcludedFromService(name)
  }

  private static let serviceSettings = "/etc/default/pcscd"
  private static let serviceFilter = "PCSCLITE_FILTER_IGNORE_READER_NAMES="

  /// pcsc-lite accepts parts of names, separated by colons.
  private func isExcludedFromService(_ name: String) -> Bool {
    (files.text(Self.serviceSettings) ?? "").split(whereSeparator: \.isNewline).map(\.trimmed)
      .filter { $0.hasPrefix(Self.serviceFilter) }
      .flatMap {
        $0.dropFirst(Self.serviceFilter.count).replacing("\"", with: "").split(separator: ":")
      }
      .contains { name.contains($0) }
  }
}
