import SwiftNFCJSONText
import NFC

extension Output {
  /// A block or page that was read.
  struct Unit {
    var number: Int
    var data: [UInt8]
    /// Whether the unit is locked; `nil` if this was not requested.
    var isLocked: Bool?
  }

  /// Prints blocks or pages, one per line, the numbers aligned.
  ///
  /// - Parameter name: the key of the number in JSON.
  static func units(_ units: [Unit], _ name: String, json: Bool) throws {
    let width = units.map { String($0.number).count }.max() ?? 1
    for unit in units {
      guard !json else {
        try line(
          JSONValue.object(
            [
              JSONValue.Member(key: name, value: .integer(unit.number)),
              JSONValue.Member(key: "data", value: .bytes(unit.data)),
            ] + (unit.isLocked.map { [JSONValue.Member(key: "locked", value: .bool($0))] } ?? [])
          ).text)
        continue
      }
      let number = String(unit.number)
      let lock = unit.isLocked.map { $0 ? "  locked" : "  not locked" } ?? ""
      try line(
        String(repeating: " ", count: width - number.count) + number + "  "
          + unit.data.hexadecimal + lock)
    }
  }

  /// Reports the result of a command that changes a tag, in the form of its `--json`.
  static func done(
    _ options: GlobalOptions, _ uid: [UInt8], _ members: KeyValuePairs<String, JSONValue?>
  ) throws {
    guard options.json, case .object(let more) = JSONValue.members(members) else { return }
    let identity = JSONValue.uid(uid).map { [JSONValue.Member(key: "uid", value: $0)] } ?? []
    try line(JSONValue.object(identity + more).text)
  }
}
