import SwiftNFCChildProcesses

/// Shows a desktop notification for each event, using the program `notify-send` (libnotify).
///
/// Shows nothing if that program is not installed or there is no desktop.
public struct NFCNotificationPresenter: NFCPresenter {
  private let title: String
  private let program: String

  /// - Parameters:
  ///   - title: the title of the notifications.
  ///   - program: the program, which takes the arguments of `notify-send`; a name to be found in
  ///     `PATH`, or a path.
  public init(title: String = "NFC", program: String = "notify-send") {
    self.title = title
    self.program = program
  }

  public func present(_ moment: NFCPresentation) {
    guard let line = moment.line else { return }
    // Two dashes end the options: the message is the program's, and may begin with one.
    var start = ProgramStart(program, ["--app-name", title, "--", title, line])
    start.output = .null
    start.errors = .null
    _ = try? RunningProcess(start)
  }
}

extension NFCPresenter where Self == NFCNotificationPresenter {
  /// Desktop notifications.
  public static var notification: NFCNotificationPresenter { NFCNotificationPresenter() }
}
