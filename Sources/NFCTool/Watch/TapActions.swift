import NFC
import SwiftNFCBackground

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Performs a watcher's actions for taps: runs programs, opens links and shows notifications.
///
/// Data from a tag is never part of a command line, with one exception: a link with a permitted scheme, which
/// is a complete argument.
struct TapActions: Sendable {
  let links: LinkPolicy
  let timeout: Duration
  let notifier: TapNotifier

  /// A tap for which something is done, or its end.
  struct Occasion: Sendable {
    let tap: Tap
    var event = TapEvent.tap
    /// The time of the event.
    let date: EventDate
    /// The report of the event, as it is printed with `--json`.
    let json: String
    /// The rule that says what is done, for messages; `nil` if the command line says it.
    var rule: String?

    /// The beginning of a message about it.
    var prefix: String { "nfc: " + (rule.map { "\($0): " } ?? "") }
  }

  /// Performs one action, and reports errors on standard error.
  func perform(_ action: TapAction, for occasion: Occasion) async {
    let tap = occasion.tap
    switch action {
    case .execute(let command): await execute(command, for: occasion)
    case .open(let link): open(link ?? tap.uri, isOwn: link != nil)
    case .notify(let text): await notify(text, for: tap)
    case .start(let application): start(application, for: tap)
    case .handOver(let application): await handOver(tap, to: application)
    // The watcher publishes, because it has the spool, and signals, because it has the reader.
    case .publish, .signal: break
    }
  }

  // MARK: Programs

  private func execute(_ command: String, for occasion: Occasion) async {
    var process = ChildProcess(
      arguments: ["sh", "-c", command], environment: Self.environment(of: occasion),
      input: Array((occasion.json + "\n").utf8))
    process.removed = Self.variables
    process.inheritsSecrets = true
    let subject = "\(occasion.prefix)the command for \(occasion.tap.uid)"
    switch await process.run(timeout: timeout) {
    case .exited(0): break
    case .exited(let code): Output.printError("\(subject) ended with \(code)")
    case .signaled(let signal):
      if !Task.isCancelled { Output.printError("\(subject) was ended by signal \(signal)") }
    case .timedOut:
      Output.printError("\(subject) took longer than \(timeout.secondsText) s and was ended")
    case .notStarted(let number):
      Output.printError("\(occasion.prefix)cannot start sh: \(SystemErrorText.of(number))")
    }
  }

  /// All variables that describe a tap. A variable that this tap does not have is not inherited.
  private static let variables: Set<String> = [
    "NFC_UID", "NFC_TYPE", "NFC_PRODUCT", "NFC_READER", "NFC_URI", "NFC_TEXT", "NFC_MIME_TYPE",
    "NFC_EVENT", "NFC_DATE", "NFC_INITIAL",
  ]

  /// The maximum length of a variable. Longer ones are omitted; standard input contains everything.
  private static let longestVariable = 32768

  static func environment(of occasion: Occasion) -> [String: String] {
    let tap = occasion.tap
    let values = [
      "NFC_EVENT": occasion.event.rawValue, "NFC_DATE": occasion.date.utc,
      "NFC_INITIAL": tap.isInitial ? "1" : nil,
      "NFC_UID": tap.uid, "NFC_TYPE": tap.type, "NFC_PRODUCT": tap.product ?? "",
      "NFC_READER": tap.address, "NFC_URI": tap.uri, "NFC_TEXT": tap.text,
      "NFC_MIME_TYPE": tap.mimeType,
    ]
    return values.compactMapValues { value in
      value.map { $0.replacing("\0", with: "\u{FFFD}") }
        .flatMap { $0.utf8.count <= longestVariable ? $0 : nil }
    }
  }

  // MARK: Links

  /// The time in which an error of a desktop's handler is reported. A later one has other reasons.
  private static let handlerPatience = Duration.seconds(10)

  /// - Parameter isOwn: whether the link is from a rule that the user has written, so that any scheme may be
  ///   opened.
  private func open(_ link: String?, isOwn: Bool) {
    guard let link else { return }
    guard isOwn || links.permits(link) else {
      let scheme = LinkPolicy.scheme(of: link) ?? "no scheme"
      Output.printError(
        "nfc: a link was not opened: \(scheme) is not permitted, or it is malformed or unsafe")
      return
    }
    Self.launch(["xdg-open", link])
  }

  /// Starts a handler, and reports errors.
  ///
  /// Without a desktop that has its own opener, xdg-open is the browser's parent and ends with it (xdg-open
  /// 1.1.3, `open_generic`). So the next action does not wait for it, and nothing ends it.
  private static func launch(_ arguments: [String]) {
    guard let name = arguments.first else { return }
    Task.detached {
      let process = ChildProcess(arguments: arguments)
      switch await process.launch(noticingEndWithin: handlerPatience) {
      case .exited(0), .timedOut, nil: break
      case .exited(let code): Output.printError("nfc: \(name) ended with \(code)")
      case .signaled(let signal): Output.printError("nfc: \(name) was ended by signal \(signal)")
      case .notStarted(let number):
        Output.printError("nfc: cannot start \(name): \(SystemErrorText.of(number))")
      }
    }
  }

  private func notify(_ text: String?, for tap: Tap) async {
    let link = tap.uri.flatMap { links.permits($0) ? $0 : nil }
    let body = Self.body(text ?? tap.text ?? tap.uri ?? tap.product ?? tap.uid, link)
    let notification = TapNotification(title: "NFC tag", body: body, link: link)
    await notifier.show(notification) { link in Self.launch(["xdg-open", link]) }
  }

  /// Returns the text of a notification. What a click opens is above what the tag says, which may name another link.
  static func body(_ text: String, _ link: String?) -> String {
    guard let link, link != text else { return text }
    return "\(link.prefix(longestShownLink))\n\(text)"
  }

  /// The length of a link's beginning that a notification shows.
  private static let longestShownLink = 200

  private func start(_ application: String, for tap: Tap) {
    // gtk-launch finds the application by its desktop file, as menus do.
    let link = tap.uri.flatMap { links.permits($0) ? $0 : nil }
    Self.launch(["gtk-launch", application] + [link].compactMap(\.self))
  }
}

// MARK: Core NFC programs

extension TapActions {
  /// The time within which a program that was started must accept messages.
  private static let startTimeout = Duration.seconds(10)

  /// Delivers the message to a program, which is started first if it is not running.
  private func handOver(_ tap: Tap, to application: RegisteredApplication) async {
    guard let message = tap.message?.encoded() else { return }
    if await MessageDelivery.send(message, to: application.name) { return }
    guard !application.command.isEmpty else {
      return Output.printError("nfc: \(application.name), which handles this tag, is not running")
    }
    // The program may run without a time limit.
    let process = ChildProcess(arguments: application.command)
    let run = Task.detached { await process.run(timeout: nil) }
    let clock = ContinuousClock()
    let deadline = clock.now + Self.startTimeout
    while clock.now < deadline, !Task.isCancelled {
      try? await Task.sleep(for: .milliseconds(50))
      if await MessageDelivery.send(message, to: application.name) { return }
    }
    run.cancel()
    Output.printError("nfc: \(application.name) was started and did not accept the tag")
  }
}

/// The system's text for an errno.
enum SystemErrorText {
  static func of(_ number: Int32) -> String { String(cString: strerror(number)) }
}
