import SwiftNFCChildProcesses
import SwiftNFCJSONText
import NFC
import Synchronization

/// The contents of a notification.
struct TapNotification: Hashable, Sendable {
  let title: String
  let body: String
  /// The link that a click opens, or `nil` if there is none.
  let link: String?
}

/// Shows notifications on the desktop through D-Bus and the program `nfc-notify`. Uses `notify-send` if that
/// program or a bus is missing.
actor TapNotifier {
  private static let program = "nfc-notify"
  private static let timeout = Duration.seconds(10)
  /// The maximum length of a tag's text in a notification. Longer texts are truncated.
  private static let longestText = 400

  private var process: LineProcess?
  private var hasTried = false
  private var onClick: (@Sendable (String) async -> Void)?

  func show(
    _ notification: TapNotification, onClick: @escaping @Sendable (String) async -> Void
  ) async {
    // A text on the bus ends at a NUL (D-Bus specification, "Valid UTF-8").
    let body = String(notification.body.prefix(Self.longestText)).replacing("\0", with: "\u{FFFD}")
    self.onClick = onClick
    if let process = bus() {
      process.write(
        JSONValue.members([
          "title": .string(notification.title), "body": .string(body),
          "link": notification.link.map { .string($0) },
        ]).text)
      return
    }
    // Most services interpret a body as markup. notify-send does not indicate whether the current one does.
    let text = body.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
      .replacing(">", with: "&gt;")
    let arguments = ["notify-send", "--app-name=nfc", "--", notification.title, text]
    switch await ChildProcess(arguments: arguments).run(timeout: Self.timeout) {
    case .exited(0): break
    case .notStarted(let number):
      Output.printError("nfc: no notification: notify-send: \(SystemErrorText.of(number))")
    default: Output.printError("nfc: no notification: notify-send failed")
    }
  }

  func stop() async { await process?.stop(grace: .milliseconds(300)) }

  /// Returns the program that uses the bus, or `nil` if the program or a bus is missing.
  private func bus() -> LineProcess? {
    guard !hasTried else { return process }
    hasTried = true
    guard DesktopBus.isReachable, let program = OwnProgram.sibling(Self.program),
      let process = try? LineProcess(program: program)
    else { return nil }
    self.process = process
    Task {
      for await link in process.lines { await self.clicked(link) }
      self.ended()
    }
    return process
  }

  /// Handles the end of that program. The next notification starts it again.
  private func ended() {
    process = nil
    hasTried = false
  }

  private func clicked(_ link: String) async { await onClick?(link) }
}
