import ArgumentParser

/// The options that record a command's exchanges, or replay a recording instead of using a reader.
struct RecordingOptions: Sendable {
  var record: String?
  var replay: String?
  var replayAnyOrder = false
  var pcap: String?
  var withSecrets = false
  /// Whether existing files may be overwritten.
  var isForced = false

  // Every command has these options. They are described by `nfc recording --help` and not repeated in each
  // command's help.
  static let recordHelp = ArgumentHelp(
    "Keep what passes between reader and tags in this file.", valueName: "file",
    visibility: .hidden)
  static let replayHelp = ArgumentHelp(
    "No reader, but what was recorded in this file.", valueName: "file", visibility: .hidden)
  static let orderHelp = ArgumentHelp(
    "With --replay: answer each command with its own answer, wherever it is.", visibility: .hidden)
  static let captureHelp = ArgumentHelp(
    "Write the exchanges to this file for Wireshark.", valueName: "file", visibility: .hidden)
  static let secretsHelp = ArgumentHelp(
    "With --record and --pcap: do not mask keys and passwords.", visibility: .hidden)

  /// - Throws: `ValidationError` for options that cannot be combined.
  func check() throws {
    guard replay != nil || !replayAnyOrder else {
      throw ValidationError("--replay-any-order requires --replay.")
    }
    guard record != nil || pcap != nil || !withSecrets else {
      throw ValidationError("--with-secrets requires --record or --pcap.")
    }
    let files = [record, replay, pcap].compactMap(\.self).filter { $0 != File.standard }
    guard Set(files).count == files.count else {
      throw ValidationError("--record, --replay and --pcap each take their own file.")
    }
  }
}
