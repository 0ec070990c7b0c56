import SwiftNFCJSONText

/// The output of `--plan`: one line for each change.
enum PlannedChange {
  static func show(
    _ text: String, _ members: KeyValuePairs<String, JSONValue?>, _ options: GlobalOptions
  ) throws {
    try Output.line(options.json ? JSONValue.members(members).text : text)
  }

  /// Shows a change, or that there is none.
  static func show(
    _ text: String, _ members: KeyValuePairs<String, JSONValue?>, if isNeeded: Bool,
    _ options: GlobalOptions
  ) throws {
    if isNeeded { return try show(text, members, options) }
    if !options.json { try Output.line("nothing to be changed") }
  }
}
