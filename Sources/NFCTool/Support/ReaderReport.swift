import NFC
import NFCDiagnosis

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A report on readers in Markdown: the system, the drivers, the problems of each reader, and the durations
/// of opening, polling and reading.
///
/// UIDs and serial numbers are omitted unless they are requested. The contents of tags are always omitted.
struct ReaderReport {
  private(set) var lines: [String] = ["# Reader report", ""]
  private let hasIdentifiers: Bool

  var text: String { lines.joined(separator: "\n") + "\n" }

  init(hasIdentifiers: Bool) {
    self.hasIdentifiers = hasIdentifiers
    add("System", Self.system)
    for source in ReaderSources.all {
      if let version = source.version { add("Driver", version) }
    }
  }

  private mutating func add(_ name: String, _ value: String) {
    lines.append("- \(name): \(value.onOneLine)")
  }

  private static var system: String {
    var names = utsname()
    guard uname(&names) == 0 else { return "unknown" }
    func text<Field>(_ field: Field) -> String {
      withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
    return [text(names.sysname), text(names.release), text(names.machine)].joined(separator: " ")
  }

  // MARK: The doctor's findings

  mutating func add(_ diagnosis: ReaderDiagnosis) {
    lines += ["", "## What the doctor says", ""]
    for reader in diagnosis.readers {
      let place = [reader.usb, reader.place].compactMap(\.self).joined(separator: ", ")
      add(reader.name, place.isEmpty ? "found" : place)
      reader.findings.forEach { add($0) }
    }
    diagnosis.findings.forEach { add($0) }
    if diagnosis.readers.isEmpty, diagnosis.findings.isEmpty { lines.append("Nothing.") }
  }

  private mutating func add(_ finding: ReaderDiagnosis.Finding) {
    lines.append("  - \(finding.isObstacle ? "problem" : "note"): \(finding.detail.onOneLine)")
  }

  // MARK: Tests of the readers

  /// Adds a reader that cannot be opened.
  mutating func add(_ name: String, failed error: any Error) {
    lines += ["", "## \(name.onOneLine)", ""]
    add("cannot be opened", "\(error)")
  }

  /// Polls once, reads the first tag's message, and adds the result.
  mutating func add(_ reader: Reader, openedIn opening: Duration) async {
    lines += ["", "## \(shown(reader.name))", ""]
    add("connection string", shown(reader.connectionString))
    if let chip = reader.chip { add("chip", chip) }
    let technologies = TagTechnology.allCases.filter(reader.capabilities.technologies.contains)
    add("polls", technologies.map(\.rawValue).joined(separator: " "))
    let (command, answer) = (
      reader.capabilities.maximumCommandLength, reader.capabilities.maximumResponseLength
    )
    add("longest command and answer", "\(command) and \(answer) bytes")
    add(
      "acts as a card",
      reader.capabilities.emulation.map { $0.isExperimental ? "yes, experimental" : "yes" } ?? "no")
    add("opened in", opening.secondsText + " s")
    let clock = ContinuousClock()
    var start = clock.now
    do {
      let tags = try await reader.tagsInField()
      add("one round of all technologies", (clock.now - start).secondsText + " s")
      guard let first = tags.first else { return add("tags", "none") }
      for tag in tags { add("tag", describe(tag)) }
      start = clock.now
      try await first.connect()
      let status = try await first.ndef?.queryNDEFStatus()
      add("NDEF", status.map { "\($0.access), \($0.capacity) bytes" } ?? "not for this kind")
      add("asked in", (clock.now - start).secondsText + " s")
      start = clock.now
      let bytes = try await first.ndef?.readNDEFBytes()
      add("message", bytes.map { "\($0.count) bytes" } ?? "none")
      add("read in", (clock.now - start).secondsText + " s")
    } catch {
      add("failed", "\(error), after \((clock.now - start).secondsText) s")
    }
  }

  private func describe(_ tag: DetectedTag) -> String {
    let text = "\(tag.technology.rawValue), \(tag.kindName)"
    return hasIdentifiers ? text + ", \(tag.identifier.uidText)" : text
  }

  /// Returns a connection string without its serial number.
  private func shown(_ text: String) -> String {
    guard !hasIdentifiers, let range = text.firstRange(of: "serial=") else { return text }
    return text[..<range.upperBound] + "…"
  }
}
