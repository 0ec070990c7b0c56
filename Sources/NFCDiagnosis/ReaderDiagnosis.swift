import SwiftNFCCore

/// The readers that are present, why some cannot be opened, and what to do.
///
/// The facts come from the files in which Linux describes its devices, and from the PC/SC service:
/// no reader is opened, reset or written to unless ``examine(_:)`` is called for one. On other
/// systems, only the facts from the PC/SC service are available.
///
/// ```swift
/// for reader in await ReaderDiagnosis.current().readers where !reader.canBeOpened {
///   print(reader.name, reader.findings.map { "\($0.detail): \($0.advice)" })
/// }
/// ```
public struct ReaderDiagnosis: Hashable, Sendable {
  /// Readers, and serial ports that may have one.
  public package(set) var readers: [ExaminedReader]
  /// Findings about no particular reader: configuration, services, the system.
  public package(set) var findings: [Finding]
  /// The connection strings of the buses of pins that are there. Whether a reader is on one shows only opening it.
  public package(set) var buses: [String] = []

  package init(readers: [ExaminedReader] = [], findings: [Finding] = []) {
    self.readers = readers
    self.findings = findings
  }

  /// Whether there is at least one reader without a visible problem.
  public var hasReader: Bool { readers.contains { $0.canBeOpened } }
}

extension ReaderDiagnosis {
  /// A problem of a reader, or a fact worth knowing.
  public typealias Finding = ReaderFinding
  /// The kind of a finding, for programs.
  public typealias Problem = ReaderFinding.Problem

  /// A reader, or a serial port that may have one.
  public typealias ExaminedReader = SwiftNFCCore.ExaminedReader
}
