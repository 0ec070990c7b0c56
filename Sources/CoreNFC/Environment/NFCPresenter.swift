/// Shows the person at the machine what an iPhone shows in its sheet. Ours, not Apple's.
public protocol NFCPresenter: Sendable {
  /// Called as things happen, from any thread; should not wait.
  func present(_ moment: NFCPresentation)
}

/// What happens in a session that a person wants to know of.
public enum NFCPresentation: Sendable {
  /// A session has begun. `cancel` ends it, as the sheet's button does.
  case began(String, cancel: @Sendable () -> Void)
  /// The alert message has changed.
  case message(String)
  /// What the reader cannot do, or Info.plist does not say, although the session asked for it.
  case notice(String)
  /// The session has ended, with the alert message, and with what went wrong: what the program has said,
  /// else why the session has ended if nobody wanted it. A session that could not begin says only this.
  case ended(String, failure: String?)
}

/// Tells nobody.
public struct NFCSilentPresenter: NFCPresenter {
  /// A presenter that shows nothing.
  public init() {}
  public func present(_ moment: NFCPresentation) {}
}

extension NFCPresenter where Self == NFCSilentPresenter {
  /// Tells nobody.
  public static var none: NFCSilentPresenter { NFCSilentPresenter() }
}
