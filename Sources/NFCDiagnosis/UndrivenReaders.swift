import SwiftNFCCore
import SwiftNFCReaderExamination
import SwiftNFCSystemFacts

/// Readers on USB that no source drives: known ones, and devices whose own names say that they are readers.
struct UndrivenReaders: SourceExamination {
  /// The names of readers, by their vendor and product numbers.
  private static let names = ["054C:06C1": "Sony RC-S380/S", "054C:06C3": "Sony RC-S380/P"]

  private let system: SystemSnapshot
  private let sources: [String]

  /// - Parameter sources: the names of the sources that do not drive them.
  init(_ system: SystemSnapshot, without sources: [String]) {
    self.system = system
    self.sources = sources
  }

  func drives(_ device: USBDevice) -> Bool { false }
  func name(of device: USBDevice) -> String? { Self.names[device.identifiers] }

  func report(beside others: OtherSources) -> SourceReport {
    var report = SourceReport()
    for device in system.devices where !others.drive(device) {
      let known = name(of: device)
      guard let finding = known == nil ? finding(about: device) : findingAboutKnown(device) else {
        continue
      }
      var reader = ExaminedReader(
        device, name: known ?? device.ownName ?? "USB device \(device.identifiers)")
      reader.findings = [finding]
      report.add(reader, on: device)
    }
    return report
  }

  private func findingAboutKnown(_ device: USBDevice) -> ReaderFinding {
    let module = device.driver(system.files).map { "; sudo modprobe -r \($0) frees it for that" }
    return ReaderFinding(
      .notSupported, "neither \(sources.joined(separator: " nor ")) drives it",
      advice: "use another reader; the Python package nfcpy drives this one" + (module ?? ""))
  }

  // MARK: Devices that are not known

  /// Readers that are keyboards and whose names may be missing (charlysan/pyrfidhid, MiczFlor/RPi-Jukebox-RFID#27).
  private static let keyboards: Set<String> = ["FFFF:0035", "08FF:0009"]

  /// Words of other devices that call themselves readers.
  private static let otherReaders = [
    "barcode", "bar", "scanner", "magnetic", "magstripe", "magtek",
  ]

  /// Returns what is known about a device that is a reader by what it reports; `nil` for any other device.
  private func finding(about device: USBDevice) -> ReaderFinding? {
    let words = (device.ownName ?? "").lowercased().split { !$0.isLetter && !$0.isNumber }
    let isReader = Self.saysReader(words)
    if device.isKeyboard(system.files),
      !words.contains(where: { Self.otherReaders.contains(String($0)) }),
      isReader || Self.keyboards.contains(device.identifiers)
        || words.contains(where: { $0.hasSuffix("reader") })
    {
      let name = device.ownName ?? "USB device \(device.identifiers)"
      return ReaderFinding(
        .notSupported,
        "\(name) types the UIDs of tags as a keyboard does; no program can ask it for more",
        advice: "use another reader; a text editor shows what this one types")
    }
    // A reader on a serial port may be one that can be named.
    guard isReader, device.ports(system.files).isEmpty else { return nil }
    return ReaderFinding(
      .notSupported, "\(device.identifiers) is not driven by anything here",
      advice: "use another reader, or the program of its maker")
  }

  /// Returns whether a name is that of a reader for contactless tags.
  private static func saysReader(_ words: [Substring]) -> Bool {
    let isNamed = words.contains { word in
      ["nfc", "rfid", "contactless"].contains { word.hasPrefix($0) || word.hasSuffix($0) }
        || word.hasPrefix("pn5") && word.count <= "pn5180".count
    }
    return isNamed || zip(words, words.dropFirst()).contains { $0 == "smart" && $1 == "reader" }
  }
}
