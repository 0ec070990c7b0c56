import SwiftNFCCore
import SwiftNFCReaderExamination
import SwiftNFCSystemFacts

/// One examination of the system: each source examines its own readers, and the results are put together.
struct Examination {
  typealias Finding = ReaderDiagnosis.Finding
  typealias ExaminedReader = ReaderDiagnosis.ExaminedReader

  /// The examination by one source.
  struct Part {
    let source: any ReaderSource
    let examination: any SourceExamination

    init(source: any ReaderSource, examination: any SourceExamination) {
      self.source = source
      self.examination = examination
    }

    init(source: any ReaderSource, in system: SystemSnapshot) {
      let own = (source as? any ExaminableSource)?.examination(of: system)
      self.init(source: source, examination: own ?? OutsideExamination(source))
    }
  }

  let system: SystemSnapshot
  private let sources: [any ReaderSource]
  private let examinations: [any SourceExamination]

  init(_ system: SystemSnapshot, by sources: [any ReaderSource]) {
    self.init(system, sources.map { Part(source: $0, in: system) })
  }

  init(_ system: SystemSnapshot, _ parts: [Part]) {
    self.system = system
    sources = parts.map(\.source)
    let names = sources.filter { $0 is any ExaminableSource }.map(\.name)
    examinations = parts.map(\.examination) + [UndrivenReaders(system, without: names)]
  }

  private func others(than index: Int) -> OtherSources {
    OtherSources(examinations.indices.filter { $0 != index }.map { examinations[$0] })
  }

  // MARK: All that is there

  /// Every reader and port, and what concerns none of them in particular. Readers on USB come first, in the order of
  /// their ports.
  func diagnosis() -> ReaderDiagnosis {
    let reports = examinations.indices.map { index in
      examinations[index].report(beside: others(than: index))
    }
    let entries = reports.flatMap(\.entries)
    var diagnosis = ReaderDiagnosis()
    diagnosis.readers = system.devices.flatMap { device in
      entries.filter { $0.device == device }.map(\.reader)
    }
    for entry in entries where entry.device == nil {
      // It may be listed already, by its USB device or twice in a configuration.
      let name = entry.reader.connectionString
      if name == nil || !diagnosis.readers.contains(where: { $0.connectionString == name }) {
        diagnosis.readers.append(entry.reader)
      }
    }
    diagnosis.readers = diagnosis.readers.map(advised)
    diagnosis.findings = generalFindings(reports, diagnosis.readers)
    diagnosis.buses = buses.map(\.description)
    return diagnosis
  }

  /// The serial ports that may have a reader and that nobody uses, each with the source that can ask it.
  var freePorts: [(source: any ExaminableSource, address: ReaderAddress)] {
    zip(sources, examinations).flatMap { source, examination in
      (source as? any ExaminableSource).map { source in
        examination.freePorts.map { (source, $0) }
      } ?? []
    }
  }

  /// The buses of pins that may have a reader.
  var buses: [ReaderAddress] { examinations.flatMap(\.buses) }

  // MARK: One by its address

  func examine(_ address: ReaderAddress) -> ExaminedReader {
    // The first source says what is wrong with an address that belongs to none.
    let index = sources.firstIndex { $0.schemes.contains(address.scheme) } ?? 0
    return advised(examinations[index].examine(address, beside: others(than: index)))
  }

  /// Adds how to write an invalid address. The source that it was intended for knows that, which may be another than
  /// the one that has examined it.
  private func advised(_ reader: ExaminedReader) -> ExaminedReader {
    var reader = reader
    let address = ReaderAddress(reader.connectionString ?? "")
    reader.findings = reader.findings.map { finding in
      guard finding.problem == .connectionString, finding.advice.isEmpty else { return finding }
      return Finding(.connectionString, finding.detail, advice: correction(address))
    }
    return reader
  }

  private func correction(_ address: ReaderAddress) -> String {
    sources.lazy.compactMap { $0.advice(forInvalid: address) }.first
      ?? "nfc readers lists those that are found"
  }
}
