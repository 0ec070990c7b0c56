import Foundation
import NFC

/// The systemd unit that starts `nfc watch` for a user, together with the desktop.
struct SystemdUnit: Sendable {
  /// The command line after `nfc watch`.
  let arguments: [String]

  static let name = "nfc-watch.service"

  var text: String {
    let program = Bundle.main.executableURL?.path ?? "nfc"
    let command = ([program, "watch"] + arguments).map(Self.quoted).joined(separator: " ")
    return """
      [Unit]
      Description=Background NFC tag reading
      After=graphical-session.target
      PartOf=graphical-session.target

      [Service]
      ExecStart=\(command)
      Restart=on-failure
      RestartSec=2

      [Install]
      WantedBy=default.target
      """
  }

  /// Quotes a word for systemd (systemd.service(5), "Command lines").
  private static func quoted(_ word: String) -> String {
    let escaped = word.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      .replacing("%", with: "%%").replacing("$", with: "$$").onOneLine
    return escaped.contains { " '\";".contains($0) } || escaped.isEmpty ? "\"\(escaped)\"" : escaped
  }

  /// The path of the user's own unit (systemd.unit(5)).
  static var path: String {
    let environment = ProcessInfo.processInfo.environment
    let configuration =
      environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      ?? NSHomeDirectory() + "/.config"
    return "\(configuration)/systemd/user/\(name)"
  }

  /// Writes the unit to the place where systemd finds it.
  func install() throws {
    let path = Self.path
    do {
      try FileManager.default.createDirectory(
        atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      try Data((text + "\n").utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      throw Failure(
        .lost, "cannot write \(path): \(error.localizedDescription)",
        advice: "choose a directory that you may write to")
    }
  }
}
