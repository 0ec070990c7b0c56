import SwiftNFCCore
import SwiftNFCSystemFacts

// Readers that another source drives, and that the service opens as well: pcscd opens every reader that it has a
// driver for as soon as any PC/SC program starts it.
extension PCSCExamination {
  private static let settings = "/etc/default/pcscd"
  private static let filter = "PCSCLITE_FILTER_IGNORE_READER_NAMES="

  package func contention(for device: USBDevice) -> ReaderFinding? {
    let users = system.users(of: device)
    if users.isInUse { return possession(of: device, users.programs) }
    guard users.isFree, mayTake(device) else { return nil }
    return ReaderFinding(
      .sharedWithService, "pcscd claims it, too, as soon as a PC/SC program runs",
      advice: adviceToExclude(device), isObstacle: false)
  }

  /// Returns whether the service opens a device when it starts.
  func mayTake(_ device: USBDevice) -> Bool {
    guard let name = bundles.name(of: device) else { return false }
    return system.files.exists(socket) && !isExcluded(name)
  }

  private func possession(
    of device: USBDevice, _ programs: [Processes.Process]
  ) -> ReaderFinding? {
    if programs.contains(where: { $0.command == Self.daemon }) {
      return ReaderFinding(
        .inUse, "the PC/SC service (\(Self.daemon)) has it", advice: adviceToRelease(device))
    }
    // Debian's pcscd runs as root: only root can see its open files.
    guard programs.isEmpty, bundles.name(of: device) != nil,
      system.processes.isRunning(Self.daemon)
    else { return nil }
    return ReaderFinding(
      .inUse,
      "a program of another user has it, most likely the PC/SC service (\(Self.daemon))",
      advice: adviceToRelease(device))
  }

  private func adviceToRelease(_ device: USBDevice) -> String {
    "use it over PC/SC: --reader \(Self.word(PCSCDriver.scheme + namePart(device))); or end that: "
      + "sudo systemctl stop pcscd.socket pcscd.service; " + adviceToExclude(device)
  }

  /// pcsc-lite's filter; Debian 12's `pcscd --version` lists it among the features.
  private func adviceToExclude(_ device: USBDevice) -> String {
    "permanently, leaving other readers to pcscd: "
      + "echo \(Self.quoted(Self.filter + namePart(device))) | sudo tee -a \(Self.settings), "
      + "and sudo systemctl restart pcscd"
  }

  /// pcsc-lite accepts parts of names, separated by colons.
  private func isExcluded(_ name: String) -> Bool {
    (system.files.text(Self.settings) ?? "").split(whereSeparator: \.isNewline).map(\.trimmed)
      .filter { $0.hasPrefix(Self.filter) }
      .flatMap {
        $0.dropFirst(Self.filter.count).replacing("\"", with: "").split(separator: ":")
      }
      .contains { name.contains($0) }
  }

  /// Returns the text in a form that a shell takes for one word.
  private static func word(_ text: String) -> String {
    let isPlain = text.allSatisfy {
      $0.isASCII && ($0.isLetter || $0.isNumber || ":._-".contains($0))
    }
    return isPlain ? text : quoted(text)
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.replacing("'", with: #"'\''"#) + "'"
  }

  /// Returns a part of the name that pcscd gives it, without a blank if that is known.
  private func namePart(_ device: USBDevice) -> String {
    let name = bundles.name(of: device) ?? device.ownName ?? device.identifiers
    return ["ACR122U", "38U"].first { name.contains($0) } ?? name
  }
}
