import SwiftNFCJSONText
import ArgumentParser
import NFC
import NFCDiagnosis

/// The command `nfc doctor`.
struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Says why a reader cannot be opened, and what to do.",
    usage: "nfc doctor [--probe] [--report <file>] [--reset] [<options>]",
    discussion: """
      Examines USB devices, serial ports, permissions, programs, libnfc's configuration and the PC/SC \
      service, and prints a block for each reader. No reader is opened except the one that --reader or \
      NFC_READER names, and only if nothing else explains why it cannot be. Programs of other users are \
      visible only to root. It also says which readers can act as a tag, for nfc emulate.

      The exit code is 0 if at least one reader can be opened, as far as can be seen without opening it, \
      or if the named one was opened; otherwise it is 69. With --json each finding is one line, and so is \
      a reader without findings. A finding with "obstacle":false is worth knowing but stops nothing.

      --report writes a file with what a bug report needs: the system, versions, the findings, and how \
      long it took to open each reader, to poll and to read. Put a tag on the reader first. UIDs and \
      serial numbers are left out without --with-uids. --reset restarts a USB reader that hangs, as if it \
      had been plugged in again; no program may be using it.

      --probe asks each free serial port once whether a PN532 is on it, and shows its connection string. A port in use \
      is not asked; another device on a free port receives a few bytes.

      Examples:
        nfc doctor
        nfc doctor --probe
        nfc doctor --reader pn532_uart:/dev/ttyUSB0
        nfc doctor --report report.md
      """)

  @OptionGroup(title: HelpText.shared) var options: ReaderOptions
  @OptionGroup private var ignored: IgnoredTagOptions

  @Option(
    help: ArgumentHelp("Write a report on the readers to this file.", valueName: "file"),
    completion: .file())
  var report: String?

  @Flag(help: "Ask each free serial port whether a PN532 is on it.")
  var probe = false

  @Flag(help: "Leave UIDs and serial numbers in the report.")
  var withUids = false

  @Flag(help: "Reset the USB reader that --reader names, or the only one that is there.")
  var reset = false

  mutating func validate() throws {
    if withUids, report == nil { throw ValidationError("--with-uids requires --report.") }
    if probe, report != nil || options.hasOwnReaders || !options.readers.isEmpty {
      throw ValidationError("--probe asks the serial ports that are there, and takes no reader.")
    }
    if reset, options.hasOwnReaders {
      throw ValidationError("--reset is for readers on USB, not for virtual ones.")
    }
  }

  func run() async throws {
    Session.setLogLevel(isVerbose: options.verbose)
    try File.checkNew(report, isForced: options.force)
    if reset { try await resetReader() }
    if let report { return try await writeReport(to: report) }
    guard !options.hasOwnReaders else {
      return try await Session.run(options) { session in
        let readers = session.readers.map { reader in
          var examined = ReaderDiagnosis.ExaminedReader(
            name: reader.name, connectionString: reader.connectionString, wasOpened: true)
          examined.emulation = ReaderDiagnosis.ExaminedReader.Emulation(reader.capabilities)
          return examined
        }
        try show(ReaderDiagnosis(readers: readers))
      }
    }
    guard !probe else { return try show(await ReaderDiagnosis.probing()) }
    guard let name = options.readers.first ?? Reader.nameInEnvironment else {
      return try show(await ReaderDiagnosis.current())
    }
    let diagnosis = try await ExchangeFiles.keep(options.recording) { _ in
      await ReaderDiagnosis.examine(name)
    }
    try Task.checkCancellation()
    try show(advising(diagnosis, on: name), named: name)
  }

  /// Returns the diagnosis of a named reader with the advice of other commands on a wrong connection string.
  private func advising(_ diagnosis: ReaderDiagnosis, on name: String) -> ReaderDiagnosis {
    let origin = AddressAdvice.Origin(isOption: !options.readers.isEmpty)
    guard let advice = AddressAdvice.advice(for: name, in: origin) else { return diagnosis }
    let wrong: [ReaderFinding.Problem] = [.connectionString, .notThere, .notThisReader]
    var diagnosis = diagnosis
    for index in diagnosis.readers.indices {
      diagnosis.readers[index].findings = diagnosis.readers[index].findings.map { finding in
        guard finding.isObstacle, wrong.contains(finding.problem) else { return finding }
        return ReaderFinding(finding.problem, finding.detail, advice: advice)
      }
    }
    return diagnosis
  }

  // MARK: Output

  private func show(_ diagnosis: ReaderDiagnosis, named name: String? = nil) throws {
    for reader in diagnosis.readers {
      options.json ? try printJSON(reader) : try printText(reader)
    }
    options.json
      ? try diagnosis.findings.forEach(printJSON) : try printText(diagnosis.findings)
    if !options.json, !diagnosis.hasReader, !diagnosis.buses.isEmpty {
      try Output.line("A board on pins?")
      for bus in diagnosis.buses { try Output.fact("  what to do", "nfc doctor --reader \(bus)") }
      try Output.line("")
    }
    guard diagnosis.hasReader else { throw failure(diagnosis, named: name) }
    guard !options.json else { return }
    let readers = diagnosis.readers.filter { !$0.isPort }
    try Output.line(
      "\(readers.count(where: \.canBeOpened)) of \(readers.count) readers can be opened")
  }

  /// Returns the line for standard error.
  private func failure(_ diagnosis: ReaderDiagnosis, named name: String?) -> Failure {
    if let name, let obstacle = diagnosis.readers.first?.findings.first(where: \.isObstacle) {
      let origin = options.readers.isEmpty ? " (from NFC_READER)" : ""
      // The block above it says why, if it is seen.
      guard !Output.isTerminal || options.json else {
        return Failure(.noReader, "\(name)\(origin) cannot be opened")
      }
      return Failure(
        .noReader, "\(name)\(origin) cannot be opened: \(obstacle.detail)", advice: obstacle.advice)
    }
    let count = diagnosis.readers.count { !$0.isPort }
    guard count == 0 else {
      return Failure(
        .noReader,
        count == 1 ? "the reader cannot be opened" : "none of \(count) readers can be opened",
        advice: "follow the advice above, or use --virtual demo")
    }
    return Failure(
      .noReader, "no reader found",
      advice: diagnosis.readers.isEmpty
        ? "plug one in, name one on a serial port with --reader, or use --virtual demo"
        : probe
          ? "follow the advice above, or use --virtual demo"
          : "nfc doctor --probe asks the ports; or use --virtual demo")
  }

  private func printText(_ reader: ReaderDiagnosis.ExaminedReader) throws {
    try Output.line(reader.name.onOneLine)
    let place = [reader.usb, reader.place].compactMap(\.self).joined(separator: ", ")
    if !place.isEmpty { try Output.fact("  where", place.onOneLine) }
    if let name = reader.connectionString, reader.canBeOpened {
      try Output.fact(
        "  can be opened", (reader.wasOpened ? "yes (it was opened) by " : "by ") + name.onOneLine)
    }
    if reader.canBeOpened, let emulation = reader.emulation {
      try Output.fact("  acts as a tag", Self.text(emulation))
    }
    try reader.findings.forEach(printLines)
    try Output.line("")
  }

  private static func text(_ emulation: ReaderDiagnosis.ExaminedReader.Emulation) -> String {
    switch emulation {
    case .supported: "yes, a Type 4 tag or an ISO 7816 card: nfc emulate"
    case .experimental: "perhaps, not tried with such readers: nfc emulate"
    default: "no"
    }
  }

  private func printText(_ findings: [ReaderDiagnosis.Finding]) throws {
    guard !findings.isEmpty else { return }
    try Output.line("The system")
    try findings.forEach(printLines)
    try Output.line("")
  }

  private func printLines(_ finding: ReaderDiagnosis.Finding) throws {
    try Output.fact(finding.isObstacle ? "  problem" : "  note", finding.detail.onOneLine)
    if !finding.advice.isEmpty { try Output.fact("  what to do", finding.advice.onOneLine) }
  }

  private func printJSON(_ reader: ReaderDiagnosis.ExaminedReader) throws {
    let findings = reader.findings.isEmpty ? [nil] : reader.findings.map(Optional.some)
    for finding in findings {
      let own: [JSONValue.Member?] = [
        JSONValue.Member(key: "name", value: .string(reader.name)),
        reader.usb.map { JSONValue.Member(key: "usb", value: .string($0)) },
        reader.place.map { JSONValue.Member(key: "place", value: .string($0)) },
        reader.connectionString.map {
          JSONValue.Member(key: "connectionString", value: .string($0))
        },
        JSONValue.Member(key: "canBeOpened", value: .bool(reader.canBeOpened)),
        reader.canBeOpened ? reader.emulation.map(Self.emulates) : nil,
      ]
      try Output.line(JSONValue.object(own.compactMap(\.self) + (finding.map(members) ?? [])).text)
    }
  }

  /// As in the output of `nfc readers`.
  private static func emulates(
    _ emulation: ReaderDiagnosis.ExaminedReader.Emulation
  ) -> JSONValue.Member {
    JSONValue.Member(
      key: "emulates", value: .array(emulation == .unsupported ? [] : [.string("type4")]))
  }

  private func printJSON(_ finding: ReaderDiagnosis.Finding) throws {
    try Output.line(JSONValue.object(members(finding)).text)
  }

  private func members(_ finding: ReaderDiagnosis.Finding) -> [JSONValue.Member] {
    [
      JSONValue.Member(key: "problem", value: .string(finding.problem.rawValue)),
      JSONValue.Member(key: "obstacle", value: .bool(finding.isObstacle)),
      JSONValue.Member(key: "detail", value: .string(finding.detail)),
      JSONValue.Member(key: "advice", value: .string(finding.advice)),
    ]
  }
}
