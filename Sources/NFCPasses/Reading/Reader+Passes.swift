import SwiftNFCCore

/// A sequence of what phones in the field of a reader have sent, until the task is cancelled or the reader is lost.
///
/// The reader polls only while the next event is awaited.
public struct Passes: AsyncSequence, Sendable {
  public typealias Element = PassEvent

  let reader: Reader
  let request: PassRequest

  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// Polls until the next event.
  public struct Iterator: AsyncIteratorProtocol {
    private let reader: Reader
    private var reading: PassReading
    private var queue: [PassEvent] = []
    private var last: PassEvent?

    init(_ passes: Passes) {
      reader = passes.reader
      reading = PassReading(passes.request)
    }

    /// Polls until the next event. It never returns `nil`. While a phone waits for its owner, it says so once.
    ///
    /// - Throws: ``NFCError/Code/unsupported``, before anything is polled, for a reader that cannot send the frame;
    ///   ``NFCError/Code/readerLost``; `CancellationError`.
    public mutating func next() async throws -> PassEvent? {
      let frames = try reading.frames(for: reader)
      while true {
        if !queue.isEmpty { return queue.removeFirst() }
        switch last {
        case .pass, .refused:
          try await reader.switchOff()
          try await Task.sleep(for: PassReading.silence)
        case .waiting, .lost: try await Task.sleep(for: PassReading.pause)
        case nil: break
        }
        let events = try await tap(frames)
        let isNews = events.first != last
        last = events.first ?? last
        if case .waiting? = events.first, !isNews { continue }
        queue = events
      }
    }

    private mutating func tap(_ frames: [PollingFrame]) async throws -> [PassEvent] {
      let before = reader.pollingFrames
      try reader.setPollingFrames(frames)
      defer { try? reader.setPollingFrames(before) }
      let tag = try await reader.firstTag(reading.criteria, within: nil)
      return try await reading.events(of: tag)
    }
  }
}

extension Reader {
  /// Returns a sequence of what phones that are held to the reader have sent of passes: Apple Wallet and Google Wallet.
  ///
  /// ```swift
  /// let request = PassRequest(applePasses: [.init(passType: "pass.com.example.card", key: key)])
  /// for try await event in reader.passes(request) {
  ///   if case .pass(let pass) = event { print(pass.text ?? "") }
  /// }
  /// ```
  ///
  /// After each search of type A without an answer, the reader sends the frame that makes phones answer, unless the request
  /// says otherwise. A tap of an iPhone takes three exchanges, and one more for each pass type that it does not have. After
  /// a pass, the carrier is off for a moment, so that the phone ends. A pass of Apple Wallet is refused if it is too old or
  /// was there before.
  ///
  /// - Important: For passes of your own. Apple does not publish its protocol, and Google asks for a certification of
  ///   terminals; this package is certified by neither, and was not tried with a phone.
  public nonisolated func passes(_ request: PassRequest) -> Passes {
    Passes(reader: self, request: request)
  }
}
