import NFCCore

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
        memory.structure(of: name.kind), (changed[name] ?? memory).structure(of: name.kind)
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

/// Finds the parts of memories in the exchanges of one reader.
struct ContentLocator {
  private var targets: [[UInt8]: Target] = [:]
  private var selected: Target?
  /// The file of a smart card that was selected by its identifier.
  private var file: Int?

  private typealias Window = ContentReplacement.Window

  mutating func find(
    in call: RecordedCall
  ) -> (memory: TagMemory.Name, windows: [ContentReplacement.Window])? {
    switch (call.request, call.outcome) {
    case (_, .targets(let found)):
      for target in found { targets[target.identifier] = target }
      (selected, file) = (found.last, nil)
    case (.select(let identifier), _): (selected, file) = (targets[identifier], nil)
    case (.exchange(let command, let framing, _), let outcome):
      var answer: [UInt8] = []
      if case .answer(let bytes) = outcome { answer = bytes.bytes }
      // A frame in its form on the air ends with its check bytes.
      let check = framing == .bare ? 2 : 0
      return find(
        command.bytes.dropLast(min(check, command.bytes.count)),
        answer.dropLast(answer.count > check ? check : 0))
    default: break
    }
    return nil
  }

  private mutating func find(
    _ command: ArraySlice<UInt8>, _ answer: ArraySlice<UInt8>
  ) -> (memory: TagMemory.Name, windows: [ContentReplacement.Window])? {
    guard let selected, command.count >= 2 else { return nil }
    let (command, answer) = (Array(command), Array(answer))
    var kind = TagMemory.Kind.other
    var number = 0
    var windows: [Window] = []
    switch selected {
    case .iso14443a(let card) where !card.supportsISO14443Part4:
      let isClassic = card.sak & 0x08 != 0
      kind = isClassic ? .classic : .type2
      windows = Self.typeA(command, answer, unit: isClassic ? 16 : 4)
    case .iso14443a, .iso14443b:
      (kind, number, windows) = card(command, answer)
    case .iso15693:
      kind = .type5
      windows = Self.vicinity(command, answer)
    case .feliCa:
      kind = .type3
      (number, windows) = Self.feliCa(command, answer)
    case .jewel:
      kind = .type1
      windows = Self.jewel(command, answer)
    default: return nil
    }
    guard !windows.isEmpty else { return nil }
    return (TagMemory.Name(tag: selected.identifier, kind: kind, number: number), windows)
  }

  /// READ, FAST_READ, WRITE and COMPATIBILITY WRITE (NTAG21x data sheet, 10); READ and WRITE of MIFARE Classic.
  private static func typeA(
    _ command: [UInt8], _ answer: [UInt8], unit: Int
  ) -> [Window] {
    let address = Int(command[1]) * unit
    switch command[0] {
    case 0x30, 0x3A:
      guard answer.count >= unit else { return [] }
      return [Window(isInAnswer: true, offset: 0, count: answer.count, address: address)]
    case 0xA0, 0xA2:
      return [Window(isInAnswer: false, offset: 2, count: command.count - 2, address: address)]
    default: return []
    }
  }

  /// Smart cards: SELECT by file identifier, READ and UPDATE BINARY (ISO/IEC 7816-4, 11.2), and the data commands of
  /// DESFire, plain or wrapped.
  private mutating func card(
    _ command: [UInt8], _ answer: [UInt8]
  ) -> (TagMemory.Kind, Int, [Window]) {
    let data = answer.count - 2
    if command.count >= 4, command[0] & 0x80 == 0 {
      let offset = Int(command[2]) << 8 | Int(command[3])
      switch command[1] {
      case 0xA4:
        let isFile = command[2] == 0 && command.count >= 7 && command[4] == 2
        file = isFile ? Int(command[5]) << 8 | Int(command[6]) : nil
      case 0xB0 where data > 0:
        return (
          kind, file ?? -1, [Window(isInAnswer: true, offset: 0, count: data, address: offset)]
        )
      case 0xD6 where command.count > 5:
        return (
          kind, file ?? -1,
          [
            Window(
              isInAnswer: false, offset: 5,
              count: min(Int(command[4]), command.count - 5), address: offset)
          ]
        )
      default: break
      }
    }
    let (reads, writes): (Set<UInt8>, Set<UInt8>) = (
      [0xBD, 0xAD, 0xBB, 0xAB], [0x3D, 0x8D, 0x3B, 0x8B]
    )
    let isWrapped = command[0] == 0x90 && command.count > 5
    let code = isWrapped ? command[1] : command[0]
    let start = isWrapped ? 5 : 1
    if reads.contains(code), command.count > start {
      let (first, end) = isWrapped ? (0, data) : (1, answer.count)
      guard end > first else { return (.other, 0, []) }
      return (
        .other, Int(command[start]),
        [Window(isInAnswer: true, offset: first, count: end - first, address: 0)]
      )
    }
    // File number, then offset and length of three bytes each.
    let header = start + 7
    if writes.contains(code), command.count > header {
      return (
        .other, Int(command[start]),
        [Window(isInAnswer: false, offset: header, count: command.count - header, address: 0)]
      )
    }
    return (.other, 0, [])
  }

  private var kind: TagMemory.Kind {
    let capabilityContainer = 0xE103
    guard let file else { return .other }
    return file == capabilityContainer ? .structure : .type4
  }

  /// READ and WRITE SINGLE BLOCK, READ MULTIPLE BLOCKS (ISO/IEC 15693-3, 10.4), and their extended forms.
  private static func vicinity(_ command: [UInt8], _ answer: [UInt8]) -> [Window] {
    let (flags, code) = (command[0], command[1])
    let isExtended = [0x30, 0x31, 0x33].contains(code)
    let start = 2 + (flags & 0x24 == 0x20 ? 8 : 0)
    let numberSize = isExtended ? 2 : 1
    guard command.count >= start + numberSize else { return [] }
    let block = Int(command[start]) + (isExtended ? Int(command[start + 1]) << 8 : 0)
    switch code {
    case 0x20, 0x30, 0x23, 0x33:
      let isSingle = code == 0x20 || code == 0x30
      let last = start + numberSize
      guard isSingle || command.count > last, answer.count > 1, answer[0] & 0x01 == 0 else {
        return []
      }
      let count = isSingle ? 1 : Int(command[last]) + 1
      let status = flags & 0x40 != 0 ? 1 : 0
      let size = (answer.count - 1) / count - status
      guard size > 0 else { return [] }
      return (0..<count).map { index in
        Window(
          isInAnswer: true, offset: 1 + index * (size + status) + status, count: size,
          address: (block + index) * size)
      }
    case 0x21, 0x31:
      let data = start + numberSize
      let size = command.count - data
      return [Window(isInAnswer: false, offset: data, count: size, address: block * size)]
    default: return []
    }
  }

  /// Read and Write Without Encryption of one service (FeliCa Card User's Manual, excerpted edition, 4.4.5, 4.4.6).
  private static func feliCa(_ command: [UInt8], _ answer: [UInt8]) -> (Int, [Window]) {
    let start = Int(command[0]) == command.count ? 1 : 0
    let services = start + 9
    guard command.count > services + 3, [0x06, 0x08].contains(command[start]),
      command[services] == 1
    else { return (0, []) }
    let number = Int(command[services + 1]) | Int(command[services + 2]) << 8
    var position = services + 3
    let count = Int(command[position])
    position += 1
    var blocks: [Int] = []
    for _ in 0..<count {
      guard position + 1 < command.count else { return (0, []) }
      blocks.append(Int(command[position + 1]))
      position += command[position] & 0x80 != 0 ? 2 : 3
    }
    let isRead = command[start] == 0x06
    let data =
      isRead ? (answer.first.map { Int($0) == answer.count } ?? false ? 1 : 0) + 12 : position
    // A read-only service is the same memory as the read-write service (FeliCa Lite-S User's
    // Manual, 3.1).
    return (
      number >> 6,
      blocks.enumerated().map { index, block in
        Window(isInAnswer: isRead, offset: data + index * 16, count: 16, address: block * 16)
      }
    )
  }

  /// RALL, RSEG, READ8, READ, WRITE (NFC Forum Type 1 Tag Operation, 4).
  private static func jewel(_ command: [UInt8], _ answer: [UInt8]) -> [Window] {
    let operand = Int(command[1])
    func whole(_ offset: Int, _ address: Int) -> [Window] {
      guard answer.count > offset else { return [] }
      return [
        Window(isInAnswer: true, offset: offset, count: answer.count - offset, address: address)
      ]
    }
    // Some readers remove the address that precedes the data of an answer.
    func last(_ count: Int, _ address: Int) -> [Window] {
      answer.count >= count ? whole(answer.count - count, address) : []
    }
    switch command[0] {
    case 0x00: return whole(2, 0)
    case 0x10: return whole(1, (operand >> 4) * 128)
    case 0x02: return last(8, operand * 8)
    case 0x01: return last(1, operand)
    case 0x53, 0x1A:
      guard command.count > 2 else { return [] }
      let written = Window(isInAnswer: false, offset: 2, count: 1, address: operand)
      return [written] + last(1, operand)
    case 0x54, 0x1B:
      guard command.count > 9 else { return [] }
      let written = Window(isInAnswer: false, offset: 2, count: 8, address: operand * 8)
      return [written] + last(8, operand * 8)
    default: return []
    }
  }
}
