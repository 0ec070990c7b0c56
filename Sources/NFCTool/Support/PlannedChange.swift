import JSONText

/// The output of `--plan`: one line for each change.
enum PlannedChange {
  static func show(
    _ text: String, _ members: KeyValuePairs<String, JSONValue?>, _ options: GlobalOptions
  ) throws {
    try Output.line(options.json ? JSONValue.members(members).text : text)
  }
}
