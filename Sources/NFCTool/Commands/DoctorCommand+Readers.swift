import NFC
import NFCDiagnosis
import Synchronization

// The doctor's operations on readers.
extension DoctorCommand {
  /// Resets the named reader, or the only reader on USB.
  func resetReader() async throws {
    let name = options.readers.first ?? Reader.nameInEnvironment
    let address: ReaderAddress
    if let name {
      address = ReaderAddress(name)
    } else {
      // USB readers have a second name, in addition to the one that changes each time they are connected.
      let found = try await Reader.list().filter { !$0.aliases.isEmpty }
      guard let only = found.first else {
        throw Failure(
          .noReader, "there is no USB reader to reset", advice: "plug it in, or see nfc doctor")
      }
      guard found.count == 1 else {
        let names = found.compactMap { $0.aliases.last?.description }
        throw Failure(
          .usage, "there are \(found.count) USB readers: \(names.joined(separator: ", "))",
          advice: "name one with --reader")
      }
      address = only.address
    }
    do {
      try await Reader.reset(address)
    } catch let error as NFCError {
      throw Failure(error)
    }
    Output.printNotice("reset \(address)")
  }

  /// Writes a report on the named readers, or on all readers that are found.
  func writeReport(to path: String) async throws {
    guard !options.hasOwnReaders else {
      let report = try await addingOwnReaders(to: ReaderReport(hasIdentifiers: withUids))
      return try File.write(Array(report.text.utf8), to: path)
    }
    try await ExchangeFiles.keep(options.recording) { _ in try await writeAttachedReport(to: path) }
  }

  private func writeAttachedReport(to path: String) async throws {
    var report = ReaderReport(hasIdentifiers: withUids)
    report.add(await ReaderDiagnosis.current())
    let isNamed = !options.readers.isEmpty
    let names = isNamed ? options.readers : [Reader.nameInEnvironment].compactMap(\.self)
    let attempts = try await ReaderSearch.open(naming: names) { _, _ in !isNamed }
    for attempt in attempts {
      switch attempt.result {
      case .success(let reader):
        await report.add(reader, openedIn: attempt.duration)
        await reader.close()
      case .failure(let error): report.add(attempt.found.address.description, failed: error)
      }
    }
    try File.write(Array(report.text.utf8), to: path)
    guard attempts.contains(where: { $0.reader != nil }) else {
      let report = path == File.standard ? "the report" : path
      throw Failure(
        .noReader, "no reader could be opened; \(report) says why", advice: "see nfc doctor")
    }
  }

  private func addingOwnReaders(to report: ReaderReport) async throws -> ReaderReport {
    let start = ContinuousClock.now
    let result = Mutex(report)
    try await Session.run(options) { session in
      var report = result.withLock { $0 }
      for reader in session.readers {
        await report.add(reader, openedIn: ContinuousClock.now - start)
      }
      result.withLock { [report] in $0 = report }
    }
    return result.withLock { $0 }
  }
}
