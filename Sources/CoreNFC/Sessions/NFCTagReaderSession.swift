import Foundation

/// Finds tags and reports them by their kind.
///
/// Info.plist lists the applications and systems that the session searches for; see
/// ``NFCEnvironment``. A card that supports ISO/IEC 7816 is reported if one of the listed
/// applications answers; a FeliCa card, if it has one of the listed systems. MIFARE Classic is
/// reported as ``NFCTag/miFare(_:)`` of the family `unknown`.
open class NFCTagReaderSession: NFCReaderSession {
  /// The technologies to poll.
  public struct PollingOption: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// ISO/IEC 14443 types A and B: ISO 7816 and MIFARE tags.
    public static let iso14443 = PollingOption(rawValue: 0x1)
    /// ISO/IEC 15693: vicinity tags.
    public static let iso15693 = PollingOption(rawValue: 0x2)
    /// ISO/IEC 18092: FeliCa.
    public static let iso18092 = PollingOption(rawValue: 0x4)
    /// ISO 7816 cards that offer only PACE (EF.CardAccess; ICAO 9303-11, 9.2), with no application
    /// selected. It overrides the other options, except in a ``Configuration``: there a card is
    /// reported that has a listed application, or else PACE.
    public static let pace = PollingOption(rawValue: 0x8)
  }

  /// Creates a session; `nil` if there is nothing to poll.
  ///
  /// - Parameter queue: the queue on which the delegate and the completion handlers are called;
  ///   `nil` for the session's own serial queue.
  public init?(
    pollingOption: PollingOption, delegate: any NFCTagReaderSessionDelegate,
    queue: DispatchQueue? = nil
  ) {
    guard !pollingOption.isEmpty else { return nil }
    let polled: PollingOption = pollingOption.contains(.pace) ? .pace : pollingOption
    super.init(
      delegate: delegate, queue: queue, purpose: .tags(Configuration(pollingOption: polled)))
  }

  /// Creates a session that searches for some of what Info.plist lists.
  ///
  /// Without a technology to poll, the session ends with `readerErrorInvalidParameter`. Since iOS 26.4.
  ///
  /// - Parameter queue: the queue on which the delegate and the completion handlers are called;
  ///   `nil` for the session's own serial queue.
  public init(
    configuration: Configuration, delegate: any NFCTagReaderSessionDelegate,
    queue: DispatchQueue? = nil
  ) {
    super.init(delegate: delegate, queue: queue, purpose: .tags(configuration))
  }

  /// The tag that commands go to.
  open var connectedTag: NFCTag? { core.connectedTag?.tag }

  /// Connects to a tag, which commands need; the tag before is put to sleep.
  @preconcurrency open func connect(
    to tag: NFCTag, completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    let object: Any =
      switch tag {
      case .feliCa(let tag): tag
      case .iso7816(let tag): tag
      case .iso15693(let tag): tag
      case .miFare(let tag): tag
      }
    core.connect(object, completionHandler)
  }

  /// ``connect(to:completionHandler:)`` as an asynchronous call.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func connect(to tag: NFCTag) async throws {
    try await withCheckedThrowingContinuation { continuation in
      connect(to: tag) { error in continuation.resume((), error) }
    }
  }

  /// Searches for tags again. Tags that were reported before can no longer be used.
  open func restartPolling() { core.restartPolling() }

  /// Searches for other tags, with the readers that the session has opened. The next
  /// ``restartPolling()`` returns to the search that the session was created with. Since iOS 26.4.
  open func restartPolling(configuration: Configuration) {
    core.restartPolling(configuration)
  }

  private var tagDelegate: (any NFCTagReaderSessionDelegate)? {
    delegate as? any NFCTagReaderSessionDelegate
  }

  override func notifyActive() { tagDelegate?.tagReaderSessionDidBecomeActive(self) }

  override func notifyDetected(_ tags: [TagObject]) -> Bool {
    tagDelegate?.tagReaderSession(self, didDetect: tags.compactMap(\.tag))
    return true
  }

  override func notifyInvalidated(_ error: NFCReaderError) {
    tagDelegate?.tagReaderSession(self, didInvalidateWithError: error)
  }
}

/// Receives what a ``NFCTagReaderSession`` finds, on the session's queue.
public protocol NFCTagReaderSessionDelegate: NSObjectProtocol {
  /// The reader is polling.
  func tagReaderSessionDidBecomeActive(_ session: NFCTagReaderSession)
  /// The session has ended, for any reason. Called once.
  func tagReaderSession(
    _ session: NFCTagReaderSession, didInvalidateWithError error: any Error)
  /// Tags have arrived in the field, possibly several at once.
  func tagReaderSession(_ session: NFCTagReaderSession, didDetect tags: [NFCTag])
}
