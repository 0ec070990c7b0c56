import SwiftNFCSeededRandom
import Synchronization

/// The field of a virtual reader, in which tags are placed and from which they are removed.
///
/// It can be used from any thread, even while a reader talks to a tag: a removed tag simply does
/// not answer the next frame.
public final class VirtualField: Sendable {
  /// What a reader's antenna receives after a frame has been sent.
  enum Reception: Hashable, Sendable {
    /// No tag answered.
    case silence
    /// One tag answered, or several did with the same bits.
    case frame(RadioFrame)
    /// Several tags answered with different bits: the bits that a receiver sees, a one wherever any
    /// tag sent one, and the position of the first difference, counted from 0 in the order of
    /// transmission.
    case collision(RadioFrame, bit: Int)
  }

  /// The result of one frame.
  struct Exchange {
    var reception: Reception
    /// The time from the end of the frame to the beginning of the answer.
    var delay: Duration
    /// The answers of further tags to a FeliCa Polling, each the only one in a later time slot.
    var laterSlots: [RadioFrame] = []
  }

  private struct State {
    var tags: [VirtualTag] = []
    /// The number of tags that were placed before each of them.
    var arrivals: [Int] = []
    var nextArrival = 0
    /// The unexpected changes of tags that have been removed.
    var unexpected: [IrreversibleChange] = []
    var isPowered = false
    /// The time since the carrier was switched on.
    var time = Duration.zero
    /// The generator of the time slots of FeliCa cards.
    var generator = SplitMix64(seed: 0)
  }

  private let state = Mutex(State())

  /// Creates a field without tags.
  public init() {}

  /// The tags in the field, in the order in which they were placed.
  public var tags: [VirtualTag] { state.withLock { $0.tags } }

  /// The tags in the field, each with the number of its arrival: a tag that is placed again has another one.
  var arrivals: [(tag: VirtualTag, number: Int)] {
    state.withLock { state in zip(state.tags, state.arrivals).map { ($0, $1) } }
  }

  /// Whether a reader has switched its carrier on.
  public var isPowered: Bool { state.withLock { $0.isPowered } }

  /// The unexpected irreversible changes on all tags that are or were in the field: see
  /// ``VirtualTag/unexpectedChanges``. Check this at the end of a test.
  public var unexpectedChanges: [IrreversibleChange] {
    state.withLock { state in state.unexpected + state.tags.flatMap(\.unexpectedChanges) }
  }

  /// Places a tag in the field. A tag that is already in it does not change.
  public func place(_ tag: VirtualTag) {
    state.withLock { state in
      guard !state.tags.contains(where: { $0 === tag }) else { return }
      state.tags.append(tag)
      state.arrivals.append(state.nextArrival)
      state.nextArrival += 1
      if state.isPowered { tag.setPower(true) }
    }
  }

  /// Removes a tag from the field. It loses its power and keeps its memory.
  public func remove(_ tag: VirtualTag) {
    state.withLock { state in
      guard let index = state.tags.firstIndex(where: { $0 === tag }) else { return }
      state.tags.remove(at: index)
      state.arrivals.remove(at: index)
      tag.setPower(false)
      state.unexpected += tag.unexpectedChanges
    }
  }

  /// Removes all tags from the field.
  public func removeAll() {
    state.withLock { state in
      for tag in state.tags { tag.setPower(false) }
      state.unexpected += state.tags.flatMap(\.unexpectedChanges)
      state.tags = []
      state.arrivals = []
    }
  }

  /// Switches the carrier on or off; without the carrier, no tag has power.
  ///
  /// - Parameter time: how long ago it was switched on. A reader does not begin to communicate after the
  ///   same time in each run.
  func setPower(_ isOn: Bool, since time: Duration = .zero) {
    state.withLock { state in
      guard state.isPowered != isOn else { return }
      state.isPowered = isOn
      state.time = time
      for tag in state.tags { tag.setPower(isOn) }
    }
  }

  /// Sends a frame to all tags in the field and returns what the antenna receives.
  func transmit(_ frame: RadioFrame) -> Reception {
    exchange(frame).reception
  }

  /// Sends a frame to all tags in the field and returns what the antenna receives, and when.
  func exchange(_ frame: RadioFrame) -> Exchange {
    let slots = state.withLock { state in
      guard state.isPowered else { return [[VirtualTag.TimedAnswer]]() }
      state.time += RadioTiming.duration(of: frame)
      let answers = state.tags.compactMap { $0.receive(frame, at: state.time) }
      let slots = Self.slots(of: answers, to: frame, using: &state.generator)
      if let first = slots.first?.first {
        state.time += first.delay + RadioTiming.duration(of: first.frame)
      }
      return slots
    }
    let heard = slots.first { $0.count == 1 } ?? slots.first ?? []
    let later = slots.filter { $0.count == 1 }.dropFirst().compactMap(\.first?.frame)
    return Exchange(
      reception: Self.reception(of: heard.map(\.frame)),
      delay: heard.map(\.delay).max() ?? .zero, laterSlots: Array(later))
  }

  /// Lets time pass without a change of the carrier.
  func advance(by time: Duration) {
    state.withLock { $0.time += time }
  }

  private static func reception(of answers: [RadioFrame]) -> Reception {
    guard let first = answers.first else { return .silence }
    guard answers.count > 1, let bit = firstDifference(answers) else { return .frame(first) }
    var received = answers.max { $0.bitCount < $1.bitCount } ?? first
    received.parity = nil
    for answer in answers {
      for index in answer.bytes.indices { received.bytes[index] |= answer.bytes[index] }
    }
    return .collision(received, bit: bit)
  }

  /// Returns the answers in the order of their time slots; all in one if the frame does not request
  /// slots.
  ///
  /// Each card draws a new slot at each Polling (JIS X 6319-4; FeliCa Card User's Manual, 4.4.2). A
  /// reader that searches for one card uses the first answer without a collision.
  private static func slots(
    of answers: [VirtualTag.TimedAnswer], to frame: RadioFrame,
    using generator: inout SplitMix64
  ) -> [[VirtualTag.TimedAnswer]] {
    guard frame.modulation == .feliCa, answers.count > 1, let request = frame.checkedPayload,
      request.count == 5, request[0] == 0, request[4] > 0
    else { return answers.isEmpty ? [] : [answers] }
    var slots: [Int: [VirtualTag.TimedAnswer]] = [:]
    for answer in answers {
      let slot = Int.random(in: 0...Int(request[4]), using: &generator)
      var answer = answer
      answer.delay = RadioTiming.responseTime(inSlot: slot)
      slots[slot, default: []].append(answer)
    }
    return slots.sorted { $0.key < $1.key }.map(\.value)
  }

  private static func firstDifference(_ frames: [RadioFrame]) -> Int? {
    guard let first = frames.first else { return nil }
    let shortest = frames.map(\.bitCount).min() ?? 0
    for bit in 0..<shortest {
      let value = first.bytes[bit / 8] >> (bit % 8) & 1
      if frames.contains(where: { $0.bytes[bit / 8] >> (bit % 8) & 1 != value }) { return bit }
    }
    return frames.contains { $0.bitCount != shortest } ? shortest : nil
  }
}
