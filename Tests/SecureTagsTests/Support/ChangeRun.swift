import Foundation
import NFC
import Synchronization
import Testing
import VirtualNFC

@testable import SecureTags

/// A virtual chip whose lasting content can be compared, and the type that changes it.
protocol ChangeableChip: VirtualChip {
  associatedtype Content: Equatable
  associatedtype Card: Sendable
  /// Everything that outlasts a session: keys, settings and data.
  var content: Content { get }
  /// The number of bytes at the end of an answer that are not data: the status word of a wrapped command.
  static var statusSize: Int { get }
  /// The form of its answers.
  static var answers: AnswerForm { get }
  /// How it is found.
  static var polling: PollingOptions { get }
  /// The number of answers before an authentication that nothing protects: those to selections.
  static var unprotectedAnswers: Int { get }
  static func card(_ tag: DetectedTag) async throws -> Card
  /// Another tag in the field, for a chip that hides.
  static func companion() -> VirtualTag?
}

extension ChangeableChip {
  static var statusSize: Int { 0 }
  static var answers: AnswerForm { .blocks(statusSize: statusSize) }
  static var polling: PollingOptions { .iso14443 }
  static var unprotectedAnswers: Int { 0 }
  static func companion() -> VirtualTag? { nil }
}

/// A change, as a careful program performs it: `run` can be called again after a failure.
struct CardChange<Chip: ChangeableChip>: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let chip: @Sendable () -> Chip
  /// The key that the change writes. After a failure, the error reports that it may be valid.
  let newKey: [UInt8]?
  /// Whether every answer has a MAC that the driver checks.
  let isProtected: Bool
  /// Whether the change consists of several, so that a failure may leave some of them.
  let isStepwise: Bool
  /// Whether an error after the card has changed reports how to continue. Only one of a program's own command, which the
  /// module does not know, does not.
  let reportsDoubt: Bool
  /// Whether a cancelled task may end it after the card has changed, as when data is written that can be written again.
  let isInterruptible: Bool
  /// Whether the tag never answers again after the change.
  let isFinal: Bool
  /// The first exchange with a fault: those of the authentication are the same in several changes.
  let first: Int
  let prepare: @Sendable (Chip.Card) async throws -> Void
  let run: @Sendable (Chip.Card) async throws -> Void

  init(
    _ testDescription: String, _ chip: @escaping @autoclosure @Sendable () -> Chip,
    newKey: [UInt8]? = nil, isProtected: Bool = true, isStepwise: Bool = false,
    reportsDoubt: Bool = true, isInterruptible: Bool = false, isFinal: Bool = false,
    first: Int = 0,
    prepare: @escaping @Sendable (Chip.Card) async throws -> Void = { _ in },
    _ run: @escaping @Sendable (Chip.Card) async throws -> Void
  ) {
    self.testDescription = testDescription
    self.chip = chip
    self.newKey = newKey
    self.isProtected = isProtected
    self.isStepwise = isStepwise
    self.reportsDoubt = reportsDoubt
    self.isInterruptible = isInterruptible
    self.isFinal = isFinal
    self.first = first
    self.prepare = prepare
    self.run = run
  }
}

/// Runs a change on a reader, with every fault at every exchange.
struct ChangeRun<Chip: ChangeableChip> {
  private typealias Tampered = TamperedCard<Chip>

  private enum Fault: CustomStringConvertible {
    case frame(ReaderBench.Trouble)
    case answer(Tampered.Change)
    /// The task is cancelled while the card's answer is on its way.
    case cancelled

    /// Whether the card has answered and the reader has nothing: a change that was made is then repeated.
    var isAnswerLost: Bool { if case .frame(.answerLost) = self { true } else { false } }

    var isRefusal: Bool { if case .answer(.refused) = self { true } else { false } }

    var description: String {
      switch self {
      case .frame(let trouble): "\(trouble)"
      case .answer(let change): "\(change)"
      case .cancelled: "cancelled"
      }
    }
  }

  private let change: CardChange<Chip>
  private let reader: ReaderBench
  private let start: Tampered

  init(_ kind: ReaderBench.Kind, _ change: CardChange<Chip>) async throws {
    self.change = change
    reader = try await ReaderBench(
      kind, VirtualTag(Tampered(change.chip(), Chip.answers)), polling: Chip.polling,
      beside: Chip.companion())
    try await change.prepare(Chip.card(reader.found()))
    start = try reader.chip(Tampered.self)
  }

  /// The change leaves the old content or the new one, says what is in doubt, never shows a key, and is
  /// completed by repeating it.
  func everyFault() async throws {
    let card = try await opened()
    reader.setTrouble(nil, 0)
    set { $0.set(nil, at: 0) }
    try await change.run(card)
    let (frames, answers) = (reader.exchanges(), try reader.chip(Tampered.self).count)
    let (before, after) = (start.chip.content, try content)
    #expect(before != after && answers > change.first && frames > change.first)
    var repeated: Set<String> = []
    for trouble in ReaderBench.Trouble.allCases {
      for moment in change.first..<frames {
        try await check(.frame(trouble), moment, before, after, &repeated)
      }
    }
    for moment in change.first..<answers {
      try await check(.cancelled, moment, before, after, &repeated)
    }
    for tampering in AnswerChange.allCases {
      for moment in change.first..<answers {
        try await check(.answer(tampering), moment, before, after, &repeated)
      }
    }
    await reader.close()
  }

  private var content: Chip.Content { get throws { try reader.chip(Tampered.self).chip.content } }

  private func set(_ body: (inout Tampered) -> Void) {
    _ = reader.tag.withChip(Tampered.self, body)
  }

  private func opened() async throws -> Chip.Card {
    reader.restore(start)
    return try await Chip.card(reader.found())
  }

  private func check(
    _ fault: Fault, _ moment: Int, _ before: Chip.Content, _ after: Chip.Content,
    _ repeated: inout Set<String>
  ) async throws {
    let error = try await error(of: fault, moment)
    let hasChanged = try reader.chip(Tampered.self).hasChanged
    let found = try content
    let text = error.map { "\($0)" } ?? "nothing"
    let place: Comment = "\(fault) at \(moment): \(text)"
    #expect(error != nil || found == after, place)
    #expect(found == before || found == after || change.isStepwise, place)
    // A program may take a refusal for a sign that it was done before, and make sure of that.
    var isProtected = change.isProtected && moment >= Chip.unprotectedAnswers
    if case .answer(.refused) = fault { isProtected = false }
    #expect(error != nil || !hasChanged || !isProtected, place)
    if let key = change.newKey {
      #expect(!Self.shows(key, text) && !Self.shows(key.reversed(), text), place)
    }
    if change.reportsDoubt, let error, found != before, leavesDoubt(error, fault) {
      #expect((error as? NFCError)?.recovery != nil, place)
    }
    guard found != after || fault.isAnswerLost && !change.isFinal else { return }
    // A card as it was before is the same each time: once for each fault is enough.
    guard found != before || repeated.insert("\(fault)").inserted else { return }
    reader.restore()
    set { $0.set(nil, at: 0) }
    do {
      try await change.run(Chip.card(reader.found()))
    } catch { Issue.record(error, "again after \(place)") }
    #expect(try content == after, "again after \(place)")
  }

  /// Whether an error after the card has changed has to report how to continue.
  private func leavesDoubt(_ error: any Error, _ fault: Fault) -> Bool {
    if error is CancellationError { return !(change.isInterruptible || change.isStepwise) }
    guard case .answer = fault, let error = error as? NFCError else { return true }
    // A refusal has no MAC: the documentation says what it is worth. An answer that was changed may look like one.
    return !fault.isRefusal && error.group != .refusal && error.code != .unsupported
  }

  private typealias Attempt = Task<(any Error)?, Never>

  /// The running change, for the one who cancels it.
  private final class Running: Sendable {
    private let task = Mutex<Attempt?>(nil)

    func begin(_ new: Attempt) { task.withLock { $0 = new } }

    /// Cancels from another thread: a reader that waits for the end of the exchange must not be waited
    /// for.
    func cancel() {
      let isDone = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        for _ in 0..<1000 {
          if let task = self.task.withLock({ $0 }) {
            task.cancel()
            break
          }
          usleep(20)
        }
        isDone.signal()
      }
      _ = isDone.wait(timeout: .now() + .milliseconds(3))
    }
  }

  private func error(of fault: Fault, _ moment: Int) async throws -> (any Error)? {
    let (card, run, running) = (try await opened(), change.run, Running())
    reader.setTrouble(nil, 0)
    set { $0.set(nil, at: 0) }
    switch fault {
    case .frame(let trouble): reader.setTrouble(trouble, moment)
    case .answer(let tampering): set { $0.set(tampering, at: moment) }
    case .cancelled:
      set { chip in chip.watcher = { if $0 == moment { running.cancel() } } }
    }
    let attempt = Attempt {
      do {
        try await run(card)
        return nil
      } catch { return error }
    }
    running.begin(attempt)
    return await attempt.value
  }

  /// Whether a text has four bytes of a key in a row.
  private static func shows(_ key: [UInt8], _ text: String) -> Bool {
    let digits = text.uppercased().filter(\.isHexDigit)
    return (0...max(0, key.count - 4)).contains {
      digits.contains(Array(key[$0..<min($0 + 4, key.count)]).hexadecimal)
    }
  }
}
