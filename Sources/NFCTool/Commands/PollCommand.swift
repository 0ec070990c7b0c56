import SwiftNFCJSONText
import ArgumentParser
import NFC
import Synchronization

/// The command `nfc poll`.
struct PollCommand: AsyncParsableCommand, OpensReaderFirst {
  static let configuration = CommandConfiguration(
    commandName: "poll",
    abstract: "Reports tags as they arrive and leave.",
    usage: "nfc poll [--once] [--count <number>] [--protocols <list>] [<options>]",
    discussion: """
      Prints one line when a tag arrives and one when it leaves, until interrupted. With --timeout, it ends \
      after this time, with exit code 66 if no tag has arrived.

      Example:
        nfc poll --json --count 2 --virtual ntag215 --virtual suica
      """)

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  @Flag(help: "Stop after the first tag.")
  var once = false

  @Option(
    help: ArgumentHelp("Stop after this many tags.", valueName: "number"),
    transform: { try NumberArgument.integer($0, "--count", in: 1...Int.max) })
  var count: Int?

  @Option(
    name: .customLong("protocols"),
    help: ArgumentHelp(
      "Poll only these: iso14443, iso15693, iso18092, other, or protocols as poll prints them.",
      discussion: "Separate them with commas.", valueName: "list"),
    completion: .list(
      Set(protocolGroups.keys).union(TagTechnology.allCases.map(\.rawValue)).sorted()),
    transform: protocols)
  var polling: PollingOptions = .all

  @OptionGroup var period: PollingPeriod
  @OptionGroup var frames: PollingFrameOption

  mutating func validate() throws {
    guard !once || count == nil else {
      throw ValidationError("--once means --count 1; give only one of them.")
    }
  }

  private static let protocolGroups: [String: PollingOptions] = [
    "iso14443": .iso14443, "iso15693": .iso15693, "iso18092": .iso18092, "other": .other,
  ]

  private static func protocols(_ text: String) throws -> PollingOptions {
    let names = protocolGroups.merging(
      TagTechnology.allCases.map { ($0.rawValue, PollingOptions($0)) }
    ) { group, _ in group }
    var options: PollingOptions = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let word = Spelling.folded(String(part))
      guard let option = names.first(where: { Spelling.folded($0.key) == word })?.value else {
        let near = Spelling.nearest(to: word, among: Array(names.keys), atMost: 1).first
        let hint = near.map { "; did you mean \($0)?" } ?? "."
        throw ValidationError(
          "--protocols takes \(names.keys.sorted().joined(separator: ", ")), not "
            + "\"\(ArgumentText.shown(String(part)))\"\(hint)")
      }
      options.insert(option)
    }
    return options
  }

  func run() async throws {
    try await Output.whileRead { try await poll() }
  }

  private func poll() async throws {
    try await Session.run(options, polling: polling) { session in
      try session.broadcast(frames.frames)
      let cardInUse = CardInUseNotice()
      let others = OtherTags()
      guard options.timeout != .zero else {
        guard try await look(session, others) else {
          throw Failure(nothingCameIn: options, within: .zero, others.list.withLock { $0 })
        }
        return
      }
      let arrivals = Arrivals(upTo: once ? 1 : count)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await poll(session, cardInUse, others, arrivals) }
        if let timeout = options.timeout {
          group.addTask {
            try? await Task.sleep(for: timeout)
            await arrivals.close()
          }
        }
        // The first one that ends also ends the other.
        while try await group.next() != nil { group.cancelAll() }
      }
      try Task.checkCancellation()
      // The time may not have been enough for the first round.
      if arrivals.count == 0, let timeout = options.timeout, timeout < Self.durationOfRound,
        session.demo == nil, try await look(session, others)
      {
        return
      }
      guard arrivals.count > 0 || options.timeout == nil else {
        if let error = cardInUse.last.withLock({ $0 }) { throw Failure(waitingFor: error) }
        throw Failure(
          nothingCameIn: options, within: options.timeout, others.list.withLock { $0 })
      }
    }
  }

  /// The tags that arrived without the UID of `--uid`.
  private final class OtherTags: Sendable {
    let list = Mutex<[DetectedTag]>([])
  }

  /// The duration of one round at a slow reader.
  private static let durationOfRound = Duration.seconds(1)

  /// Searches once at all readers, reports the tags that are there, and returns whether there are any.
  private func look(_ session: Session, _ others: OtherTags) async throws -> Bool {
    let start = ContinuousClock.now
    let present: [DetectedTag]
    do {
      present = try await session.group.tagsInField(polling: supported(by: session.group))
    } catch let error as NFCError where error.isCardInUse {
      throw Failure(waitingFor: error)
    }
    others.list.withLock { $0 = present.filter { !isWanted($0) } }
    CrowdedField().found(present)
    let found = present.filter(isWanted).prefix(once ? 1 : count ?? .max)
    for tag in found { try await printArrival(of: tag, at: ContinuousClock.now - start) }
    return !found.isEmpty
  }

  /// Polls all readers until enough tags have arrived or the task is cancelled.
  private func poll(
    _ session: Session, _ cardInUse: CardInUseNotice, _ others: OtherTags, _ arrivals: Arrivals
  ) async throws {
    guard session.demo?.isOver != true else { return }
    let start = ContinuousClock.now
    let polling = supported(by: session.group)
    let losses = ReaderLosses()
    let crowd = CrowdedField()
    if session.demo == nil { Terminal.show("Hold a tag to the reader… Ctrl-C ends nfc poll") }
    do {
      try await session.group.forEachEvent(
        polling: polling, period: period.duration, onCardInUse: cardInUse.note
      ) { event in
        let time = ContinuousClock.now - start
        switch event {
        case .arrived(let tag, _):
          crowd.arrived(tag)
          if isWanted(tag) {
            let goesOn = try await arrivals.report { try await printArrival(of: tag, at: time) }
            guard goesOn else { return false }
          } else {
            others.list.withLock { $0.append(tag) }
          }
          try await session.demo?.arrived(tag.tag)
        case .left(let tag, _):
          crowd.left(tag)
          if isWanted(tag) { try printDeparture(of: tag, at: time) }
          session.demo?.left(tag)
          if session.demo?.isOver == true { return false }
        case .readerLost(let reader, let error):
          let name = reader.connectionString
          if losses.isNews(error.description, of: name, at: time) {
            Output.printError("nfc: \(name): \(error.description); waiting for it")
          }
        case .readerReturned(let reader):
          losses.returns(reader.connectionString, at: time)
        case .readerMissing:
          break
        }
        return true
      }
    } catch is CancellationError {}
  }

  /// Returns the protocols of `--protocols` that the readers support, and says which they do not. If they support
  /// none, polling refuses them.
  private func supported(by readers: Readers) -> PollingOptions {
    guard !polling.isSuperset(of: .all) else { return polling }
    // No reader need have all of the older protocols.
    let needed = polling.isSuperset(of: .other) ? polling.subtracting(.other) : polling
    let missing = readers.missing(of: needed.technologies)
    let rest = missing.reduce(polling) { $0.subtracting(PollingOptions($1)) }
    guard !missing.isEmpty, !rest.isEmpty else { return polling }
    let reason = Readers.refusal(missing, readers.all).reason
    Output.printError("nfc: \(reason); polling the other protocols")
    return rest
  }

  private func isWanted(_ tag: DetectedTag) -> Bool {
    options.uid == nil || options.uid == tag.identifier
  }

  /// The last card found by polling that another program uses.
  private final class CardInUseNotice: Sendable {
    let last = Mutex<NFCError?>(nil)

    func note(_ error: NFCError) {
      last.withLock { $0 = error }
      Output.printNotice("nfc: \(error.description); waiting until it is free or another comes")
    }
  }

  private func printArrival(of tag: DetectedTag, at time: Duration) async throws {
    var product: TagProduct?
    var information: ISO15693SystemInformation?
    do {
      try await tag.connect()
      product = try await tag.product()
      if options.json { information = try await tag.vicinityInformation() }
    } catch {
      // The tag was present. If the tag or the reader has been removed since, the next poll reports that.
    }
    guard !options.json else {
      return try Output.line(event("arrived", time, tag.facts(product, information)))
    }
    let name = product?.name ?? tag.kindName
    let uid = Terminal.padded(tag.identifier.uidText, to: Self.widthOfUID)
    let technology = Terminal.padded(tag.technology.rawValue, to: Self.widthOfProtocol)
    try Output.line(
      "\(time.secondsText)  \(Terminal.styled("arrived", .good))  \(uid)  \(technology)  \(name)")
  }

  /// The width of a UID of 8 bytes, which is the longest for most tags.
  private static let widthOfUID = 16
  private static let widthOfProtocol = 9

  private func printDeparture(of tag: DetectedTag, at time: Duration) throws {
    guard !options.json else { return try Output.line(event("left", time, tag.identity)) }
    try Output.line(
      "\(time.secondsText)  \(Terminal.styled("left", .faint))     \(tag.identifier.uidText)")
  }

  private func event(_ name: String, _ time: Duration, _ tag: [JSONValue.Member]) -> String {
    JSONValue.members([
      "event": .string(name), "time": .seconds(time), "date": .string(EventDate.now.utc),
      "tag": .object(tag),
    ]).text
  }
}
