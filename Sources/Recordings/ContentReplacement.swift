import SwiftNFCCore

/// Replaces the memory content of the tags in a recording.
///
/// Everything that was read from a memory or written to it is combined, so that messages can be
/// found in it. The structure of the messages does not change; all other bytes that a user can
/// write become zeros.
struct ContentReplacement {
  /// A part of a memory that a command or an answer contains.
  struct Window: Hashable {
    var isInAnswer: Bool
    /// The position in the bytes.
    var offset: Int
    var count: Int
    /// The address in the memory.
    var address: Int
  }

  private struct Passage {
    let memory: TagMemory.Name
    let windows: [Window]
    /// Whether something has been written to the memory before.
    let isChanged: Bool
  }

  /// The passages, by the position of their entry in the recording.
  private var passages: [Int: Passage] = [:]
  private var original: [TagMemory.Name: TagMemory] = [:]
  private var changed: [TagMemory.Name: TagMemory] = [:]
  /// The addresses whose bytes do not change, before and after the first write.
  private var kept: [TagMemory.Name: (before: Set<Int>, after: Set<Int>)] = [:]

  private static let filler = UInt8(ascii: "x")

  init(_ recording: Recording) {
    var locators: [Int: ContentLocator] = [:]
    for (index, entry) in recording.entries.enumerated() {
      guard case .call(let call) = entry.line else { continue }
      guard let found = locators[call.reader, default: ContentLocator()].find(in: call) else {
        continue
      }
      add(found.windows, of: found.memory, call, at: index)
    }
    for (name, memory) in original {
      kept[name] = (
        memory.structure(of: name), (changed[name] ?? memory).structure(of: name)
      )
    }
  }

  private mutating func add(
    _ windows: [Window], of name: TagMemory.Name, _ call: RecordedCall, at index: Int
  ) {
    guard case .exchange(let command, _, _) = call.request else { return }
    if changed[name] == nil, windows.contains(where: { !$0.isInAnswer }) {
      changed[name] = original[name] ?? TagMemory()
    }
    for window in windows {
      var bytes = command.bytes
      if window.isInAnswer, case .answer(let answer) = call.outcome { bytes = answer.bytes }
      let range = (window.offset..<window.offset + window.count).clamped(to: bytes.indices)
      if changed[name] == nil {
        original[name, default: TagMemory()].set(bytes[range], at: window.address)
      } else {
        changed[name, default: TagMemory()].set(bytes[range], at: window.address)
      }
    }
    if original[name] == nil { original[name] = TagMemory() }
    passages[index] = Passage(
      memory: name, windows: windows, isChanged: changed[name] != nil)
  }

  /// Returns the call without its content.
  func call(_ call: RecordedCall, at index: Int) -> RecordedCall {
    guard let passage = passages[index], let kept = kept[passage.memory],
      case .exchange(let command, let framing, let timeout) = call.request
    else { return call }
    let stays = passage.isChanged ? kept.after : kept.before
    var call = call
    call.request = .exchange(
      Self.replaced(command, passage.windows.filter { !$0.isInAnswer }, stays, framing), framing,
      timeout: timeout)
    if case .answer(let answer) = call.outcome {
      call.outcome = .answer(
        Self.replaced(answer, passage.windows.filter(\.isInAnswer), stays, framing))
    }
    return call
  }

  private static func replaced(
    _ recorded: RecordedBytes, _ windows: [Window], _ stays: Set<Int>, _ framing: Framing
  ) -> RecordedBytes {
    var result = recorded
    for window in windows {
      for index in 0..<window.count where !stays.contains(window.address + index) {
        let position = window.offset + index
        guard recorded.bytes.indices.contains(position), recorded.bytes[position] != 0 else {
          continue
        }
        result.replace(at: position, by: [filler])
      }
    }
    return framing == .bare && result != recorded ? result.withCheck(like: recorded) : result
  }
}
