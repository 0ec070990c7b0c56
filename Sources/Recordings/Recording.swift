import SwiftNFCJSONText
import SwiftNFCCore

/// The recorded communication between readers and tags, as text with one JSON object per line.
///
/// The first line has the version of the format and what is known about the reader: name, firmware,
/// capabilities. Each further line is a call of the reader's driver (``RecordedCall``): a search
/// with its result, or an exchange with its command, its answer or error, and its duration. A line
/// can also describe another reader that was opened later.
///
/// ```json
/// {"format":"nfc recording","version":1,"reader":0,"name":"…","capabilities":{…}}
/// {"reader":0,"time":0.001,"call":"find","technology":"iso14443a","found":[{…}],"duration":0.004}
/// {"reader":0,"time":0.006,"call":"exchange","command":"3004","answer":"…","duration":0.002}
/// ```
///
/// A ``Recorder`` creates a recording while a program works with a reader, and a ``ReplayReader``
/// plays it back.
public struct Recording: Hashable, Sendable {
  /// The name of the format, in the first line.
  static let format = "nfc recording"
  /// The version that this package writes, and the only one that it can read.
  package static let version = 1

  /// A line of the file.
  @nonexhaustive
  public enum Line: Hashable, Sendable {
    /// A reader was opened; its number is its position among the readers.
    case reader(RecordedReader)
    /// A call of a reader's driver.
    case call(RecordedCall)
  }

  /// A line with its number in the file, counted from 1.
  public struct Entry: Hashable, Sendable {
    /// The number of the line.
    public let number: Int
    /// The content of the line.
    public var line: Line
  }

  /// Readers and calls, in the order of the file.
  public var entries: [Entry]

  /// The readers, in the order of their numbers.
  public var readers: [RecordedReader] {
    entries.compactMap { if case .reader(let reader) = $0.line { reader } else { nil } }
  }

  /// All calls, in their order.
  public var calls: [RecordedCall] {
    entries.compactMap { if case .call(let call) = $0.line { call } else { nil } }
  }

  /// Parses a recording.
  ///
  /// An incomplete last line without a line feed, as an interrupted program leaves it, is ignored.
  ///
  /// - Throws: ``RecordingError`` for a text that is not a recording, or one of another version.
  public init(_ bytes: some Sequence<UInt8>) throws(RecordingError) {
    let lines = Array(bytes).split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    entries = []
    var readerCount = 0
    for (index, bytes) in lines.enumerated() {
      guard !bytes.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) else { continue }
      let number = index + 1
      do throws(RecordedField.Problem) {
        let line = try Line(bytes, isFirst: entries.isEmpty)
        switch line {
        case .reader: readerCount += 1
        case .call(let call):
          guard call.reader < readerCount else {
            throw RecordedField.Problem("there is no reader \(call.reader)")
          }
        }
        entries.append(Entry(number: number, line: line))
      } catch {
        guard !entries.isEmpty, index == lines.count - 1 else {
          throw RecordingError(line: number, error.reason)
        }
      }
    }
    guard !entries.isEmpty else { throw RecordingError(line: 1, "it is empty") }
  }

  /// The complete text.
  public var text: String {
    var number = 0
    return entries.map { entry in
      switch entry.line {
      case .reader(let reader):
        defer { number += 1 }
        return reader.line(number: number) + "\n"
      case .call(let call): return call.line + "\n"
      }
    }.joined()
  }
}
