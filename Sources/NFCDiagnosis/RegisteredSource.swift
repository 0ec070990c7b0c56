import NFC
import NFCCore

/// A source that a program has registered, and that reports the problems of its readers itself.
///
/// What keeps a reader of libnfc or of the PC/SC service from working is seen in the same files of the system,
/// and often it is the other of the two. ``Examination`` examines both.
struct RegisteredSource {
  typealias ExaminedReader = ReaderDiagnosis.ExaminedReader

  private let source: any ReaderSource

  static var all: [RegisteredSource] {
    ReaderSources.registered.map(RegisteredSource.init)
  }

  /// Returns the source of an address; `nil` if no program has registered its scheme.
  static func of(_ address: ReaderAddress) -> RegisteredSource? {
    all.first { $0.source.schemes.contains(address.scheme) }
  }

  func add(to diagnosis: inout ReaderDiagnosis) {
    let found = source.readers()
    diagnosis.readers += found.map(examine)
    guard found.isEmpty, let error = source.availabilityError() else { return }
    diagnosis.findings.append(
      ReaderFinding(.sourceUnavailable, error.description, isObstacle: false))
  }

  func examine(_ address: ReaderAddress) -> ExaminedReader {
    let found = source.readers().first { $0.answers(to: address) }
    return examine(found ?? FoundReader(address))
  }

  private func examine(_ found: FoundReader) -> ExaminedReader {
    var reader = ExaminedReader(
      name: found.name ?? found.address.description, place: source.name,
      connectionString: found.address.description)
    reader.findings = source.findings(about: found.address)
    return reader
  }
}
