import SwiftNFCChildProcesses
import NFC
import SwiftNFCBackground

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The systemd unit that starts `nfc watch` for a user, or for the system: a door has no login.
///
/// With `--open`, it starts and stops with the desktop, which opens the links. Otherwise it also runs without one, and
/// continues when someone who was logged in to one leaves it (systemd.special(7), "graphical-session.target").
struct SystemdUnit: Sendable {
  /// The command line after `nfc watch`.
  let arguments: [String]
  /// The folder to which relative file names in the command line refer. A user's unit runs in the home folder
  /// otherwise (systemd.exec(5), "WorkingDirectory=").
  var folder: String?
  /// Whether the unit starts with the system, not with a login.
  var isOfSystem = false
  /// The user of a unit of the system; `nil` for one that systemd makes up (systemd.exec(5), "DynamicUser=").
  var user: String?

  /// - Parameters:
  ///   - line: the command line after `nfc`. The first word `watch` is the name of the command.
  ///   - folder: the current folder.
  init(line: [String], folder: String) {
    var arguments = line.filter { !["--install", "--write", "--system"].contains($0) }
    if let name = arguments.firstIndex(of: "watch") { arguments.remove(at: name) }
    self.arguments = arguments
    // The unit of a package has no arguments, and is for every user.
    self.folder = arguments.isEmpty ? nil : folder
  }

  static let name = "nfc-watch.service"

  /// Whether the command needs the variables of a desktop's session, such as `DISPLAY`.
  var needsDesktop: Bool { arguments.contains("--open") }

  var text: String { isOfSystem ? systemText : userText }

  private var command: String {
    ([OwnProgram.path ?? "nfc", "watch"] + arguments).map(Self.quoted).joined(separator: " ")
  }

  private var workingDirectory: String {
    folder.map { "\nWorkingDirectory=\(Self.setting(of: $0))" } ?? ""
  }

  /// The user may be one of a group that may use serial ports, and nothing else is given to it. What the actions need
  /// may be less restricted in a drop-in (systemd.unit(5), `systemctl edit nfc-watch`).
  private var systemText: String {
    """
    [Unit]
    Description=Background NFC tag reading
    After=network.target pcscd.socket
    # It is started again until the cause is gone, for instance a broker's certificate that has expired.
    StartLimitIntervalSec=0

    [Service]
    ExecStart=\(command)\(workingDirectory)
    \(user.map { "User=\($0)" } ?? "DynamicUser=yes")
    # Serial ports, and USB devices of the udev rules.
    SupplementaryGroups=dialout plugdev
    # The spool is /var/lib/nfc/watch.spool.
    StateDirectory=nfc
    Environment=XDG_STATE_HOME=%S
    RuntimeDirectory=nfc-watch
    Environment=XDG_RUNTIME_DIR=%t/nfc-watch
    # NFC_MQTT_PASSWORD and other variables, one per line. Make it readable only by root.
    EnvironmentFile=-/etc/nfc/watch.env
    Restart=on-failure
    RestartSec=5
    # A wrong command line stays wrong.
    RestartPreventExitStatus=64
    # The exit status after SIGTERM, with which systemd stops a service.
    SuccessExitStatus=143
    NoNewPrivileges=yes
    ProtectSystem=full
    ProtectHome=read-only
    PrivateTmp=yes
    ProtectKernelTunables=yes
    ProtectKernelModules=yes
    ProtectControlGroups=yes
    RestrictSUIDSGID=yes
    LockPersonality=yes

    [Install]
    WantedBy=multi-user.target
    """
  }

  private var userText: String {
    """
    [Unit]
    Description=Background NFC tag reading
    After=graphical-session.target\(needsDesktop ? "\nPartOf=graphical-session.target" : "")
    # It is started again until the cause is gone, for instance a broker's certificate that has expired.
    StartLimitIntervalSec=0

    [Service]
    ExecStart=\(command)\(workingDirectory)
    Restart=on-failure
    RestartSec=5
    # A wrong command line stays wrong.
    RestartPreventExitStatus=64
    # The exit status after SIGTERM, with which systemd stops a service.
    SuccessExitStatus=143
    # NFC_MQTT_PASSWORD and other variables, one per line. Make it readable only by its owner.
    EnvironmentFile=-%E/nfc/watch.env

    [Install]
    WantedBy=\(needsDesktop ? "graphical-session.target" : "default.target")
    """
  }

  /// Returns whether a text can be the name of a user (systemd, "User/Group Name Syntax").
  static func isUser(_ name: String) -> Bool {
    name.first.map { $0 == "_" || $0.isLetter } == true
      && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_-.".contains($0)) }
  }

  /// - Throws: `usage` for a folder whose name would end the line, so that its rest would be another setting.
  func check() throws {
    guard let folder, folder != folder.onOneLine else { return }
    throw Failure(
      .usage, "the name of the current folder has a control character, which a unit cannot hold",
      advice: "run nfc watch --install in another folder")
  }

  /// The folder as the value of a setting. A backslash at its end would continue the line, and a blank would be
  /// dropped (systemd.syntax(7)); a slash does not change its meaning.
  private static func setting(of folder: String) -> String {
    let needsSlash = folder.last.map { $0 == "\\" || $0.isWhitespace } ?? false
    return specifiersEscaped(folder) + (needsSlash ? "/" : "")
  }

  private static func specifiersEscaped(_ text: String) -> String {
    text.replacing("%", with: "%%")
  }

  /// Quotes a word for systemd (systemd.service(5), "Command lines"; systemd.syntax(7), "Quoting").
  private static func quoted(_ word: String) -> String {
    var escaped = ""
    for scalar in word.unicodeScalars {
      switch scalar {
      case "\\": escaped += #"\\"#
      case "\"": escaped += #"\""#
      case "$": escaped += "$$"
      case "\n": escaped += #"\n"#
      case "\t": escaped += #"\t"#
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        escaped += #"\x"# + [UInt8(scalar.value)].hexadecimal.lowercased()
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    escaped = specifiersEscaped(escaped)
    let needsQuotes = escaped.isEmpty || escaped.contains { " '\";\\".contains($0) }
    return needsQuotes ? "\"\(escaped)\"" : escaped
  }

  /// The path of the user's own unit (systemd.unit(5)).
  private static var userPath: String { "\(UserFolder.configuration())/systemd/user/\(name)" }
  private static let systemPath = "/etc/systemd/system/\(name)"

  /// The path at which systemd finds the unit.
  var path: String { isOfSystem ? Self.systemPath : Self.userPath }

  /// Writes the unit to the place where systemd finds it.
  func install() throws {
    try File.replace(Array((text + "\n").utf8), at: path)
  }
}
