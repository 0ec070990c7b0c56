import Dispatch
import Foundation
import NDEF
import SwiftNFCBackground
import SwiftNFCCore

/// Receives the tags that are tapped while no session runs. This is an addition to Apple's
/// interface: an iPhone calls UIKit's `application(_:continue:restorationHandler:)`.
///
/// `nfc watch` reads the tags. It passes a message to this program if the message's first link
/// belongs to one of the program's domains, and starts the program if it is not running. Domains
/// are declared like associated domains: a file `NAME.json` in `~/.local/share/nfc/applications` or
/// `/usr/share/nfc/applications` contains them, and the command.
///
/// ```json
/// {"domains": ["museum.example"], "command": ["/usr/bin/museum-guide"]}
/// ```
///
/// ```swift
/// let reading = try NFCBackgroundTagReading(application: "museum-guide") { activity in
///   guard activity.activityType == NSUserActivityTypeBrowsingWeb else { return }
///   print(activity.webpageURL as Any, activity.ndefMessagePayload.records.count)
/// }
/// dispatchMain()
/// ```
///
/// Tags are received until ``invalidate()`` is called or the last reference is released. While a
/// session uses the reader, `nfc watch` pauses.
///
/// Unchecked because the source is set up in ``init(application:queue:handler:)`` and only cancelled after it,
/// which Dispatch allows on any thread.
public final class NFCBackgroundTagReading: @unchecked Sendable {
  private let source: any DispatchSourceRead

  /// Starts to receive tags.
  ///
  /// - Parameters:
  ///   - application: the program's name, which is that of its file of domains: letters, digits,
  ///     dots, hyphens and underscores.
  ///   - queue: the queue on which `handler` is called.
  ///   - handler: receives an activity of the type `NSUserActivityTypeBrowsingWeb`, with the link
  ///     as its `webpageURL` and the complete message as its `ndefMessagePayload`.
  /// - Throws: `NFCError` with `invalidParameter` for an invalid name, and with `readerUnavailable`
  ///   if another process of this user already receives the program's tags, or the folder of its
  ///   sockets cannot be used.
  public init(
    application: String, queue: DispatchQueue = .main,
    handler: @escaping @Sendable (NSUserActivity) -> Void
  ) throws {
    guard RegisteredApplication.isName(application) else {
      throw NFCError(.invalidParameter, "\"\(application)\" is not the name of a program")
    }
    let listener: LocalSocket?
    do {
      listener = try MessageDelivery.listen(application)
    } catch {
      throw NFCError(.readerUnavailable, "\(error)")
    }
    guard let listener else {
      throw NFCError(
        .readerUnavailable, "another process receives the tags for \(application)")
    }
    source = DispatchSource.makeReadSource(
      fileDescriptor: listener.descriptor, queue: DispatchQueue(label: "nfc.background"))
    source.setEventHandler {
      guard let bytes = MessageDelivery.receive(from: listener),
        let message = try? NDEFMessage(decoding: bytes)
      else { return }
      queue.async {
        let delivery = NSUserActivity(delivering: NFCNDEFMessage(message))
        if let activity = delivery { handler(activity) }
      }
    }
    source.activate()
  }

  deinit { source.cancel() }

  /// Stops receiving tags.
  public func invalidate() { source.cancel() }
}
