import NFCLibNFC

// What concerns no single reader.
extension Examination {
  /// - Parameter readers: the findings about readers. They are not repeated, and advice for finding
  ///   a reader is left out if one can be opened.
  func generalFindings(
    _ service: SmartCardServiceState, _ readers: [ExaminedReader]
  ) -> [Finding] {
    var findings = configuration.flaws.map { flaw in
      Finding(
        .configuration, "\(flaw.place): \(flaw.reason)", advice: flaw.advice, isObstacle: false)
    }
    if !configuration.searches, configuration.devices.isEmpty {
      findings.append(
        Finding(
          .configuration, "libnfc is configured not to search for readers, and no reader is named",
          advice:
            "set allow_autoscan = true in \(LibNFCConfiguration.folder)/libnfc.conf, or unset "
            + LibNFCConfiguration.search,
          isObstacle: false))
    }
    guard !readers.contains(where: \.canBeOpened) else { return findings }
    let isReported = readers.contains { $0.findings.contains { $0.problem == .noService } }
    if case .unreachable(let error) = service, !isReported {
      findings.append(serviceIsMissing(error, isObstacle: false))
    }
    if readers.allSatisfy({ $0.usb == nil || $0.isPort }), let finding = passThrough() {
      findings.append(finding)
    }
    return findings
  }

  /// Returns where the system has only the USB devices that are handed to it.
  private func passThrough() -> Finding? {
    func finding(_ detail: String, _ advice: String) -> Finding {
      Finding(.passThrough, detail, advice: advice, isObstacle: false)
    }
    if files.line("/proc/version")?.lowercased().contains("microsoft") == true {
      return finding(
        "this is WSL, which sees no USB device by itself",
        "on Windows: usbipd list, usbipd bind --busid ID, usbipd attach --wsl --busid ID; "
          + "the last again whenever the reader is plugged in")
    }
    if files.exists("/.dockerenv") || files.exists("/run/.containerenv") {
      return finding(
        "this is a container, which sees only the devices that it is given",
        Self.passThroughToContainer)
    }
    let maker = ["sys_vendor", "product_name"].compactMap { files.line("/sys/class/dmi/id/\($0)") }
      .joined(separator: " ")
    if let name = Self.virtualMachines.first(where: { maker.contains($0.mark) })?.name {
      return finding(
        "this is a virtual machine (\(name)), which sees only the USB devices that it is given",
        "pass the reader through to it")
    }
    return showsUSB
      ? nil
      : finding("this system shows no USB", "use a machine, or a container, that has it")
  }

  /// Virtual machines, by the names in their firmware.
  private static let virtualMachines = [
    (mark: "QEMU", name: "QEMU"), (mark: "VirtualBox", name: "VirtualBox"),
    (mark: "VMware", name: "VMware"), (mark: "Microsoft Corporation Virtual", name: "Hyper-V"),
  ]
}
