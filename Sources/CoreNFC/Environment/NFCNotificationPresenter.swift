import Foundation

/// Shows a notification of the desktop for each moment, by the program `notify-send` (libnotify).
///
/// Shows nothing where that program is not installed or there is no desktop.
public struct NFCNotificationPresenter: NFCPresenter {
  private let title: String
  private let program: String

  /// - Parameters:
  ///   - title: what the notifications are headed with.
  ///   - program: what takes the arguments of `notify-send`; looked for in `PATH`, or named by its path.
  public init(title: String = "NFC", program: String = "notify-send") {
    self.title = title
    self.program = program
  }

  public func present(_ moment: NFCPresentation) {
    guard let line = moment.line else { return }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    // Two dashes end the options: the message is the program's, and may begin with one.
    process.arguments = [program, "--app-name", title, "--", title, line]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try? process.run()
  }
}

extension NFCPresenter where Self == NFCNotificationPresenter {
  /// Notifications of the desktop.
  public static var notification: NFCNotificationPresenter { NFCNotificationPresenter() }
}
