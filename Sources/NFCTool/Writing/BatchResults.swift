import NFC
import Synchronization

/// The file of `nfc write … --from TABLE --results FILE`: the table with two more columns, the UID of the tag that was
/// written with a row, and the state.
///
/// The file is replaced as a whole after each tag, so that a batch that ends at any moment leaves a complete one.
final class BatchResults: Sendable {
  private static let added = ["uid", "state"]

  private let table: CSVTable
  private let path: String
  private let states: Mutex<[State]>

  private struct State {
    var uid = ""
    var text = ""
  }

  /// Reads what an earlier part of the batch has left.
  ///
  /// - Throws: ``Failure`` `usage` for a file that holds something else, unless it may be replaced.
  init(_ table: CSVTable, file path: String, isForced: Bool) throws {
    self.table = table
    self.path = path
    guard path != File.standard else {
      throw Failure(.usage, "--results needs a file", advice: "--json prints the results")
    }
    let empty = [State](repeating: State(), count: table.rows.count)
    let old = isForced ? nil : try Self.states(in: path, of: table)
    if old == nil { try File.checkNew(path, isForced: isForced) }
    states = Mutex(old ?? empty)
  }

  /// Returns the states in a file of the same table, or `nil` for any other file.
  private static func states(in path: String, of table: CSVTable) throws -> [State]? {
    guard File.exists(path), let text = try? File.readText(path),
      let old = try? CSVTable(text, name: File.name(path)), old.columns == table.columns + added,
      old.rows.count == table.rows.count
    else { return nil }
    let count = table.columns.count
    for (row, other) in zip(old.rows, table.rows)
    where Array(row.values.prefix(count)) != other.values {
      return nil
    }
    return old.rows.map { State(uid: $0.values[count], text: $0.values[count + 1]) }
  }

  /// Notes what became of a row, and writes the file.
  ///
  /// - Throws: ``Failure`` for a file that cannot be written.
  func set(_ state: String, uid: [UInt8], row: Int) throws {
    let states = states.withLock { states in
      guard states.indices.contains(row) else { return states }
      states[row] = State(uid: uid.hexadecimal, text: state)
      return states
    }
    var lines = [CSVTable.line(table.columns + Self.added, separatedBy: table.separator)]
    for (row, state) in zip(table.rows, states) {
      lines.append(
        CSVTable.line(row.values + [state.uid, state.text], separatedBy: table.separator))
    }
    try File.replace(Array((lines.joined(separator: "\n") + "\n").utf8), at: path)
  }
}

extension MessageCommand.Result {
  /// The state of a row in the results.
  var state: String { isLocked ? "locked" : isVerified ? "verified" : "written" }
}
