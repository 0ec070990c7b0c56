import NFC
import NFCPasses
import Synchronization

/// Waits for phones, and prints their passes.
struct PassTerminal {
  private let session: Session
  private let count: Int
  private var reading: PassReading
  private let clock = ContinuousClock()
  /// What a person was told last.
  private var lastReason: PassEvent.Reason?

  /// The minimum time for a look: a phone decides in two rounds of polling.
  private static let shortestLook = Duration.seconds(1)

  init(_ session: Session, _ request: PassRequest, count: Int) {
    self.session = session
    self.count = count
    reading = PassReading(request)
  }

  func run() async throws {
    var terminal = self
    try terminal.prepare()
    try await terminal.read()
  }

  /// Sets the frame at each reader that can send it.
  ///
  /// - Throws: `noReader` if none can.
  private func prepare() throws {
    var problem: NFCError?
    var isReady = false
    for reader in session.readers {
      do throws(NFCError) {
        try reader.setPollingFrames(try reading.frames(for: reader))
        isReady = true
      } catch {
        problem = error
      }
    }
    guard !isReady, let problem else { return }
    var failure = Failure(problem)
    failure.advice = "with --chosen, a pass is read that its owner has chosen by hand"
    throw failure
  }

  private mutating func read() async throws {
    var left = count
    while left > 0 {
      let passes = try await tap()
      for pass in passes.prefix(left) {
        try Output.line(
          session.options.json ? PassReport.json(pass).text : PassReport.line(pass))
      }
      left -= passes.count
      guard left > 0 else { return }
      for reader in session.readers { try await reader.switchOff() }
      try await clock.sleep(for: PassReading.silence)
    }
  }

  /// Waits for a phone with a pass.
  private mutating func tap() async throws -> [Pass] {
    let timeout = max(session.timeout, Self.shortestLook)
    let deadline = clock.now + timeout
    let others = OtherTags()
    var obstacle: Failure?
    lastReason = nil
    while true {
      let events: [PassEvent]
      do {
        let session = session
        var waiting = reading.criteria
        waiting.onUnsuitableTags = others.note
        let criteria = waiting
        let found = try await Progress.asking(for: "a phone", within: deadline - clock.now) {
          try await session.group.firstTag(criteria, within: max(.zero, deadline - clock.now))
        }
        events = try await reading.events(of: found.tag)
      } catch let error as NFCError where [.noTag, .wrongTag].contains(error.code) {
        throw obstacle ?? nothing(within: timeout, others.identifiers)
      }
      var passes: [Pass] = []
      for event in events {
        switch event {
        case .pass(let pass): passes.append(pass)
        case .refused(let refusal): throw Failure(refusal)
        case .waiting(let reason):
          try report(reason)
          obstacle = Failure(
            .notAllowed, "the pass was not confirmed in time", advice: PassReport.words(reason))
        case .lost(let error): obstacle = Failure(error)
        @unknown default: break
        }
      }
      guard passes.isEmpty else { return passes }
      guard clock.now < deadline else {
        throw obstacle ?? nothing(within: timeout, others.identifiers)
      }
      try await clock.sleep(for: PassReading.pause)
    }
  }

  private func nothing(within timeout: Duration, _ others: [String]) -> Failure {
    let found = others.isEmpty ? "" : ", only \(others.joined(separator: ", "))"
    return Failure(
      .notThere, "no phone has answered within \(timeout.components.seconds) s\(found)",
      advice: reading.request.broadcasts
        ? "hold it to the reader; on a phone with several passes, choose the pass"
        : "choose the pass on the phone, confirm it, and hold it to the reader")
  }

  /// Says once what the owner of the phone has to do.
  private mutating func report(_ reason: PassEvent.Reason) throws {
    guard lastReason != reason else { return }
    lastReason = reason
    if session.options.json { try Output.line(PassReport.waiting(reason).text) }
    Output.printError("nfc: " + PassReport.words(reason))
  }
}

/// The tags in the field that are not phones.
private final class OtherTags: Sendable {
  private let found = Mutex<[String]>([])

  func note(_ tags: [DetectedTag]) {
    found.withLock { found in
      for tag in tags.map(\.identifier.uidText) where !found.contains(tag) { found.append(tag) }
    }
  }

  var identifiers: [String] { found.withLock { $0 } }
}

extension Failure {
  /// Creates the failure of a tap without a pass.
  init(_ refusal: PassRefusal) {
    let status: ExitStatus =
      switch refusal {
      case .noSuchPass: .notThere
      case .time: .notAllowed
      default: .content
      }
    self.init(status, refusal.description, advice: Self.advice(refusal))
  }

  private static func advice(_ refusal: PassRefusal) -> String? {
    switch refusal {
    case .noSuchPass: "check the pass type or collector; on the phone, choose the pass"
    case .content(.otherKey): "use the key whose public key is in the pass"
    case .time(.fromTheFuture), .time(.tooOld): "set the clock of this machine, or of the phone"
    case .time: "an answer that was recorded is refused"
    default: nil
    }
  }
}
