import ArgumentParser
import NFC
import Synchronization

/// `nfc poll`.
struct PollCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "poll",
    abstract: "Says which tags come and go.",
    discussion: """
      A line a tag as it comes and as it goes, until interrupted. Exit code 66 if no tag came \
      within --timeout.

      Example:
        nfc poll --json --count 2 --virtual ntag215 --virtual suica
      """)

  @OptionGroup var options: GlobalOptions

  @Flag(help: "Stop after the first tag.")
  var once = false

  @Option(help: ArgumentHelp("Stop after so many tags.", valueName: "number"))
  var count: Int?

  @Option(
    name: .customLong("protocols"),
    help: ArgumentHelp(
      "Poll only these: iso14443, iso15693, iso18092, other, with commas between them.",
      valueName: "list"),
    transform: protocols)
  var polling: PollingOptions = .all

  mutating func validate() throws {
    if let count, count < 1 { throw ValidationError("--count takes a number from 1 on.") }
    if once, count != nil { throw ValidationError("--once is --count 1; give only one of them.") }
  }

  private static func protocols(_ text: String) throws -> PollingOptions {
    let names: [Substring: PollingOptions] = [
      "iso14443": .iso14443, "iso15693": .iso15693, "iso18092": .iso18092, "other": .other,
    ]
    var options: PollingOptions = []
    for name in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let option = names[name] else {
        throw ValidationError(
          "--protocols takes iso14443, iso15693, iso18092 and other, not \"\(name)\".")
      }
      options.insert(option)
    }
    return options
  }

  func run() async throws {
    try await Session.run(options, polling: polling) { session in
      let hindrance = Hindrance()
      let arrivals = try await withThrowingTaskGroup(of: Int?.self) { group in
        group.addTask { try await poll(session, hindrance) }
        if let timeout = options.timeout {
          group.addTask {
            try? await Task.sleep(for: timeout)
            return nil
          }
        }
        // Whichever ends first ends the other; polling gives what has come until then.
        var arrivals = 0
        while let result = try await group.next() {
          arrivals += result ?? 0
          group.cancelAll()
        }
        return arrivals
      }
      try Task.checkCancellation()
      guard arrivals > 0 || options.timeout == nil else {
        if let error = hindrance.last.withLock({ $0 }) { throw Failure(waitingFor: error) }
        throw Failure(
          .notThere, "no tag came in time",
          advice: "hold one to the reader, or wait longer with --timeout")
      }
    }
  }

  /// Polls all readers until enough tags have come or the task is cancelled; gives how many came.
  private func poll(_ session: Session, _ hindrance: Hindrance) async throws -> Int {
    let count = Count()
    let start = ContinuousClock.now
    try await withThrowingTaskGroup(of: NFCError?.self) { group in
      for (reader, polling) in session.shares(of: polling) {
        // On the reader's own thread, which it then need not change for each exchange.
        group.addTask(executorPreference: reader.taskExecutor) {
          do {
            try await poll(reader, for: polling, session, count, hindrance, since: start)
            return nil
          } catch let error as NFCError where error.isOfReader {
            return error
          }
        }
      }
      // One ends well when enough tags have come, or the demo is over: then all do. A reader that is
      // lost leaves the others, if there are any.
      var problem: NFCError?
      while let outcome = try await group.next() {
        problem = outcome
        if outcome == nil { break }
      }
      group.cancelAll()
      if let problem { throw problem }
    }
    return count.arrivals.withLock { $0 }
  }

  /// What polling waits for besides a tag.
  private final class Hindrance: Sendable {
    let last = Mutex<NFCError?>(nil)

    func note(_ error: NFCError) {
      last.withLock { $0 = error }
      Output.remark("nfc: \(error.description); waiting until it is free or another comes")
    }
  }

  /// How many tags have come, to all readers together.
  private final class Count: Sendable {
    let arrivals = Mutex(0)

    /// Counts a tag; `nil` if enough had come already.
    func next(of wanted: Int?) -> Int? {
      arrivals.withLock { arrivals in
        if let wanted, arrivals >= wanted { return nil }
        arrivals += 1
        return arrivals
      }
    }
  }

  /// Polls one reader.
  private func poll(
    _ reader: Reader, for polling: PollingOptions, _ session: Session, _ count: Count,
    _ hindrance: Hindrance, since start: ContinuousClock.Instant
  ) async throws {
    let wanted = once ? 1 : self.count
    var present = Arrivals()
    let pause = session.demo == nil ? Duration.milliseconds(100) : .milliseconds(10)
    do {
      guard session.demo?.isOver != true else { return }
      let events = reader.events(polling: polling, pause: pause, onCardInUse: hindrance.note)
      for try await event in events {
        let time = ContinuousClock.now - start
        switch event {
        case .arrived(let tag):
          if options.uid == nil || options.uid == tag.identifier {
            guard let number = count.next(of: wanted) else { return }
            present.add(tag)
            try await printArrival(of: tag, at: time)
            if number == wanted { return }
          }
          try await session.demo?.arrived(tag.tag)
        case .left(let target):
          if let tag = present.remove(target) { try printDeparture(of: tag, at: time) }
          session.demo?.left(target)
          if session.demo?.isOver == true { return }
        }
      }
    } catch is CancellationError {}
  }

  private func printArrival(of tag: DetectedTag, at time: Duration) async throws {
    var product: TagProduct?
    var information: ISO15693SystemInformation?
    do {
      try await tag.connect()
      product = try await tag.product()
      if options.json { information = try await tag.vicinityInformation() }
    } catch {
      // It was there; that it has gone meanwhile, or the reader, is what polling will say next.
    }
    guard !options.json else {
      return try Output.line(event("arrived", time, tag.facts(product, information)))
    }
    let name = product?.name ?? tag.kindName
    try Output.line(
      "\(time.secondsText)  arrived  \(tag.identifier.hexadecimal)  "
        + "\(tag.technology.rawValue)  \(name)")
  }

  private func printDeparture(of tag: DetectedTag, at time: Duration) throws {
    guard !options.json else { return try Output.line(event("left", time, tag.identity)) }
    try Output.line("\(time.secondsText)  left     \(tag.identifier.hexadecimal)")
  }

  private func event(_ name: String, _ time: Duration, _ tag: [JSON.Member]) -> String {
    JSON.members(["event": .string(name), "time": .seconds(time), "tag": .object(tag)]).text
  }
}

/// The tags that have come and not left yet: what has left must be called as it was when it came.
private struct Arrivals {
  private var tags: [DetectedTag] = []

  mutating func add(_ tag: DetectedTag) { tags.append(tag) }

  mutating func remove(_ target: Target) -> DetectedTag? {
    let index =
      tags.firstIndex {
        $0.technology == target.technology && $0.identifier == target.identifier
      }
      // A tag that draws a new number at each power-on leaves by another than it came by.
      ?? tags.firstIndex { $0.technology == target.technology && $0.mayHaveRandomIdentifier }
    return index.map { tags.remove(at: $0) }
  }
}

extension DetectedTag {
  fileprivate var mayHaveRandomIdentifier: Bool {
    let random: UInt8 = 0x08
    return technology == .iso14443b
      || technology == .iso14443a && identifier.count == 4 && identifier.first == random
  }
}
