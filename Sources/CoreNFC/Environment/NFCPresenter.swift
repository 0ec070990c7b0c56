/// Shows the person at the machine what an iPhone shows in its sheet. This is an addition to
/// Apple's interface.
public protocol NFCPresenter: Sendable {
  /// Shows an event. Called from any thread as events occur; it should not block.
  func present(_ moment: NFCPresentation)
}

/// An event of a session that is relevant to a person.
public enum NFCPresentation: Sendable {
  /// A session has begun. `cancel` ends it, like the button of the sheet.
  case began(String, cancel: @Sendable () -> Void)
  /// The alert message has changed.
  case message(String)
  /// A request of the session that the reader does not support, or that Info.plist does not permit.
  case notice(String)
  /// The session has ended, with the alert message, and with the failure: the program's error
  /// message, or the reason why the session ended unexpectedly. A session that could not begin
  /// reports only this event.
  case ended(String, failure: String?)
}

/// Shows nothing.
public struct NFCSilentPresenter: NFCPresenter {
  /// Creates a presenter that shows nothing.
  public init() {}
  public func present(_ moment: NFCPresentation) {}
}

extension NFCPresenter where Self == NFCSilentPresenter {
  /// A presenter that shows nothing.
  public static var none: NFCSilentPresenter { NFCSilentPresenter() }
}
