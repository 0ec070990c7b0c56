import Foundation

/// What all sessions have in common.
public protocol NFCReaderSessionProtocol: NSObjectProtocol {
  /// Whether the session has begun and has not ended.
  var isReady: Bool { get }
  /// The message for the person; see ``NFCPresenter``. It can be changed at any time, from any
  /// thread.
  var alertMessage: String { get set }
  /// Starts the session. The delegate is notified of its progress.
  func begin()
  /// Ends the session permanently.
  func invalidate()
  /// Ends the session permanently, and shows the person the error message.
  func invalidate(errorMessage: String)
}

/// The base class of all sessions; a program uses one of its subclasses.
///
/// A session can be used once. It is kept alive from ``begin()`` to its end, even if the program
/// releases it. The delegate's methods and all completion handlers of its tags run on
/// ``sessionQueue``.
open class NFCReaderSession: NSObject, NFCReaderSessionProtocol {
  /// Held weakly, by Apple's rule.
  open private(set) weak var delegate: AnyObject?
  /// The queue that the session was created with, or its own serial queue.
  public let sessionQueue: DispatchQueue
  let core: SessionCore

  init(delegate: AnyObject, queue: DispatchQueue?, purpose: SessionCore.Purpose) {
    self.delegate = delegate
    sessionQueue = queue ?? DispatchQueue(label: "NFCReaderSession")
    core = SessionCore(purpose: purpose, queue: sessionQueue)
    super.init()
  }

  /// Whether there may be a reader, as far as can be found out without opening one; see
  /// ``NFCEnvironment``.
  ///
  /// Takes at most half a second. If libnfc and the PC/SC service have not answered by then, the
  /// value is their last answer, or else `true`: a session finds out more.
  open class var readingAvailable: Bool { NFCEnvironment.current.readers.isAvailable }

  open var isReady: Bool { core.isActive }

  open var alertMessage: String {
    get { core.alertMessage }
    set { core.alertMessage = newValue }
  }

  open func begin() { core.begin(self) }

  open func invalidate() { core.invalidate(self, message: nil) }

  open func invalidate(errorMessage: String) { core.invalidate(self, message: errorMessage) }

  // MARK: Notifications to the delegate, on the queue

  func notifyActive() {}
  /// Returns whether the delegate receives tags; if not, the session reads their messages for it.
  func notifyDetected(_ tags: [TagObject]) -> Bool { true }
  func notifyPasses(_ responses: [NFCVASResponse]) {}
  func notifyMessages(_ messages: [NFCNDEFMessage]) {}
  func notifyInvalidated(_ error: NFCReaderError) {}
}
