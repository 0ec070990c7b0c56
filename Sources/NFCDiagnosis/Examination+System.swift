import SwiftNFCReaderExamination
import SwiftNFCSystemFacts

// What concerns no single reader.
extension Examination {
  /// - Parameter readers: the readers of all sources. Advice for finding a reader is left out if one can be opened.
  func generalFindings(_ reports: [SourceReport], _ readers: [ExaminedReader]) -> [Finding] {
    guard !readers.contains(where: \.canBeOpened) else { return reports.flatMap(\.findings) }
    var findings = reports.flatMap { $0.findings + $0.hints }
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
    if system.files.line("/proc/version")?.lowercased().contains("microsoft") == true {
      return finding(
        "this is WSL, which sees no USB device by itself",
        "on Windows: usbipd list, usbipd bind --busid ID, usbipd attach --wsl --busid ID; "
          + "the last again whenever the reader is plugged in")
    }
    if system.files.exists("/.dockerenv") || system.files.exists("/run/.containerenv") {
      return finding(
        "this is a container, which sees only the devices that it is given",
        USBDevice.passThroughToContainer)
    }
    let maker = ["sys_vendor", "product_name"].compactMap {
      system.files.line("/sys/class/dmi/id/\($0)")
    }
    .joined(separator: " ")
    if let name = Self.virtualMachines.first(where: { maker.contains($0.mark) })?.name {
      return finding(
        "this is a virtual machine (\(name)), which sees only the USB devices that it is given",
        "pass the reader through to it")
    }
    return system.showsUSB
      ? nil
      : finding("this system shows no USB", "use a machine, or a container, that has it")
  }

  /// Virtual machines, by the names in their firmware.
  private static let virtualMachines = [
    (mark: "QEMU", name: "QEMU"), (mark: "VirtualBox", name: "VirtualBox"),
    (mark: "VMware", name: "VMware"), (mark: "Microsoft Corporation Virtual", name: "Hyper-V"),
  ]
}
