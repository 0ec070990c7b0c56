import SwiftNFCCore

extension Recording {
  /// Returns the recording with other identifiers in place of the tags' own. The readers' serial
  /// numbers do not change.
  ///
  /// An identifier is replaced consistently wherever it occurs: in searches, commands and answers,
  /// in either byte order, in parts with the check bytes of ISO/IEC 14443-3, and as hexadecimal
  /// text. The bytes that indicate the maker and the chip do not change. Signatures (READ_SIG),
  /// which would reveal the identifier, become zeros.
  ///
  /// - Parameter replacesContent: also replaces what was read from memories and written to them,
  ///   with the same number of bytes; the bytes that describe the structure of a message do not
  ///   change.
  public func anonymized(replacingContent replacesContent: Bool = false) -> Recording {
    var recording = self
    let content = replacesContent ? ContentReplacement(self) : nil
    var identifiers = IdentifierReplacement(self)
    for index in recording.entries.indices {
      guard case .call(let call) = recording.entries[index].line else { continue }
      recording.entries[index].line = .call(
        identifiers.call(content?.call(call, at: index) ?? call))
    }
    return recording
  }
}

/// The replacement identifiers for the tags of a recording.
struct IdentifierReplacement {
  private var identifiers: [[UInt8]: [UInt8]] = [:]
  /// The bytes to replace, by their number and then by themselves: a recording may have thousands of tags.
  private var replacements: [Int: [[UInt8]: [UInt8]]] = [:]
  /// The keys of ``replacements``, the largest first, so that an identifier is replaced before its parts.
  private var lengths: [Int] = []
  /// The tag that the calls refer to.
  private var selected: [UInt8]?

  init(_ recording: Recording) {
    for call in recording.calls {
      guard case .targets(let targets) = call.outcome else { continue }
      for target in targets { add(target) }
    }
    lengths = replacements.keys.sorted(by: >)
  }

  private mutating func replace(_ old: [UInt8], by new: [UInt8]) {
    // Of two tags that share a part, the first one decides.
    guard replacements[old.count]?[old] == nil else { return }
    replacements[old.count, default: [:]][old] = new
  }

  private mutating func add(_ target: Target) {
    let old = target.identifier
    // A reader may report no identifier.
    guard !old.isEmpty, identifiers[old] == nil else { return }
    let new = Self.replacement(for: target, number: identifiers.count)
    identifiers[old] = new
    var forms = Array(zip(Self.forms(of: old), Self.forms(of: new)))
    if case .feliCa = target {
      // Each system of a card has its own IDm, which differs in the first digit (FeliCa Card User's
      // Manual, excerpted edition, 2.4).
      let manufacturerCodeSize = Self.keptBytes(target)
      forms.append(
        (Array(old.dropFirst(manufacturerCodeSize)), Array(new.dropFirst(manufacturerCodeSize))))
    }
    for (old, new) in forms where old != new { replace(old, by: new) }
    // In a message: a mirror, or a link that contains the identifier (NTAG21x data sheet, 8.7).
    for (old, new) in [
      (old.hexadecimal, new.hexadecimal),
      (old.hexadecimal.lowercased(), new.hexadecimal.lowercased()),
    ] {
      replace(Array(old.utf8), by: Array(new.utf8))
    }
  }

  /// Returns the number of bytes that indicate the maker and the chip: for ISO/IEC 15693 E0, the
  /// maker (ISO/IEC 7816-6) and two bytes in which makers number their chips; for FeliCa the
  /// manufacturer's code; otherwise the first byte.
  private static func keptBytes(_ target: Target) -> Int {
    switch target {
    case .iso15693: 4
    case .feliCa: 2
    case .barcode: 2
    default: 1
    }
  }

  /// - Parameter number: the number of tags before this one.
  private static func replacement(for target: Target, number: Int) -> [UInt8] {
    let old = target.identifier
    let kept = min(keptBytes(target), old.count)
    var new = Array(old.prefix(kept)) + [UInt8](repeating: 0, count: old.count - kept)
    // Neither zeros nor only counting bytes, which occur in many places of a memory.
    let pattern: [UInt8] = [0xA1, 0xB2, 0xC3, 0xD4]
    for index in kept..<old.count { new[index] = pattern[index % pattern.count] }
    // The last byte counts from 1, and those before it go on with the pattern for every further 255 tags.
    var rest = number
    for index in new.indices.reversed() where index >= kept {
      new[index] = index == new.count - 1 ? UInt8(rest % 255 + 1) : new[index] &+ UInt8(rest % 256)
      rest /= index == new.count - 1 ? 255 : 256
    }
    return new
  }

  /// Returns the forms in which an identifier occurs in commands, answers and memories.
  private static func forms(of identifier: [UInt8]) -> [[UInt8]] {
    var forms = [identifier, identifier.reversed()]
    let cascadeTag: UInt8 = 0x88
    switch identifier.count {
    case 4: forms.append(identifier + [identifier.reduce(0, ^)])
    case 7:
      // The first two pages of Ultralight and NTAG, and both cascade levels (ISO/IEC 14443-3, 6.5.4).
      let (first, second) = (Array(identifier.prefix(3)), Array(identifier.suffix(4)))
      let firstCheck = first.reduce(cascadeTag, ^)
      forms.append(first + [firstCheck] + second + [second.reduce(0, ^)])
      forms.append(first + [firstCheck])
      forms.append(second + [second.reduce(0, ^)])
      // The bytes that the cipher of MIFARE Classic is keyed with.
      forms.append(second)
    default: break
    }
    return forms
  }

  // MARK: Replacing

  mutating func call(_ call: RecordedCall) -> RecordedCall {
    note(call)
    var call = call
    var isSignature = false
    switch call.request {
    case .resetField, .list, .broadcast: break
    case .randomNumber: return call
    case .waitForActivation(let uid, let historicalBytes):
      call.request = .waitForActivation(uid: identifier(uid), historicalBytes: historicalBytes)
    case .answerCommand(let answer): call.request = .answerCommand(bytes(answer, .tagProtocol))
    case .receiveCommand, .endEmulation: break
    case .find(let technology, let found):
      call.request = .find(technology, excluding: found.map(identifier))
    case .select(let old): call.request = .select(identifier(old))
    case .isPresent(let old): call.request = .isPresent(identifier(old))
    case .capabilities(let old): call.request = .capabilities(identifier(old))
    case .exchange(let command, let framing, let timeout):
      isSignature = Self.asksForSignature(command.bytes)
      call.request = .exchange(bytes(command, framing), framing, timeout: timeout)
    case .authenticate(let block, let type, let key, let uid):
      call.request = .authenticate(
        block: block, type, key: key, uid: bytes(RecordedBytes(uid), .tagProtocol).bytes)
    }
    switch call.outcome {
    case .targets(let targets): call.outcome = .targets(targets.map(target))
    case .command(let command): call.outcome = .command(bytes(command, .tagProtocol))
    case .answer(let answer):
      var (command, framing) = ([UInt8](), Framing.checked)
      if case .exchange(let bytes, let other, _) = call.request {
        (command, framing) = (bytes.bytes, other)
      }
      call.outcome = .answer(
        isSignature
          ? Self.withoutSignature(answer, framing)
          : withPageTwo(bytes(answer, framing), of: command, framing))
    default: break
    }
    return call
  }

  private mutating func note(_ call: RecordedCall) {
    switch (call.request, call.outcome) {
    case (.select(let identifier), _): selected = identifier
    case (_, .targets(let found)): selected = found.last?.identifier ?? selected
    default: break
    }
  }

  /// Replaces the beginning of page 2 of Ultralight and NTAG, the check byte of the identifier's
  /// last four bytes (NTAG21x data sheet, 8.5.1): a read from page 2 shows one byte of what a read
  /// from page 0 shows.
  private func withPageTwo(
    _ answer: RecordedBytes, of command: [UInt8], _ framing: Framing
  ) -> RecordedBytes {
    let (read, fastRead, page): (UInt8, UInt8, UInt8) = (0x30, 0x3A, 0x02)
    guard let old = selected, let new = identifiers[old], old.count == 7,
      [[read, page], [fastRead, page]].contains(Array(command.prefix(2))),
      answer.bytes.count >= 4, answer.bytes.first == old.suffix(4).reduce(0, ^)
    else { return answer }
    var result = answer
    result.replace(at: 0, by: [new.suffix(4).reduce(0, ^)])
    return framing == .bare ? result.withCheck(like: answer) : result
  }

  private func identifier(_ old: [UInt8]) -> [UInt8] { identifiers[old] ?? old }

  private func target(_ target: Target) -> Target {
    let new = identifier(target.identifier)
    switch target {
    case .iso14443a(var card):
      card.uid = new
      card.ats = bytes(RecordedBytes(card.ats), .tagProtocol).bytes
      return .iso14443a(card)
    case .iso14443b(var card):
      card.pupi = new
      return .iso14443b(card)
    case .feliCa(var card):
      card.idm = new
      return .feliCa(card)
    case .iso15693(var tag):
      tag.uid = new
      return .iso15693(tag)
    case .jewel(let sensRes, _): return .jewel(sensRes: sensRes, uid: new)
    case .iso14443bPrime(_, let version, let configuration, let atr):
      // The historical bytes of Calypso cards have the serial number, whose end is the identifier.
      return .iso14443bPrime(
        div: new, version: version, configuration: configuration,
        atr: bytes(RecordedBytes(atr), .tagProtocol).bytes)
    case .iso14443b2sr: return .iso14443b2sr(uid: new)
    case .iso14443b2ct(_, let product, let fabrication):
      return .iso14443b2ct(uid: new, productCode: product, fabricationCode: fabrication)
    case .barcode: return .barcode(data: new)
    case .iClass: return .iClass(serialNumber: new)
    }
  }

  private func bytes(_ recorded: RecordedBytes, _ framing: Framing) -> RecordedBytes {
    var result = recorded
    var taken = [Bool](repeating: false, count: recorded.bytes.count)
    for length in lengths where length <= recorded.bytes.count {
      var position = 0
      while position + length <= recorded.bytes.count {
        let range = position..<position + length
        if let new = replacements[length]?[Array(recorded.bytes[range])],
          !taken[range].contains(true)
        {
          result.replace(at: position, by: new)
          for index in range { taken[index] = true }
          position += length
        } else {
          position += 1
        }
      }
    }
    guard framing == .bare, result != recorded else { return result }
    return result.withCheck(like: recorded)
  }

  // MARK: Signatures

  /// READ_SIG of Ultralight, NTAG and DESFire (NTAG21x data sheet, 10.8), plain and in the form of ISO/IEC 7816-4, and
  /// READ SIGNATURE of ICODE (SL2S2602 data sheet, 9.5.5).
  private static func asksForSignature(_ command: [UInt8]) -> Bool {
    let (readSignature, wrapped, vicinity): (UInt8, UInt8, UInt8) = (0x3C, 0x90, 0xBD)
    guard command.count >= 2 else { return false }
    return command[0] == readSignature && command.count <= 4
      || command[0] == wrapped && command[1] == readSignature
      || command[1] == vicinity && command.count > 2
  }

  /// Short answers are refusals.
  private static func withoutSignature(
    _ answer: RecordedBytes, _ framing: Framing
  ) -> RecordedBytes {
    let shortest = 32
    guard answer.bytes.count >= shortest else { return answer }
    // A flag before it or a status after it does not change.
    let start = answer.bytes.count % 2
    var result = answer
    let end = answer.bytes.count - (answer.bytes.count % 8 == 2 ? 2 : 0)
    result.replace(at: start, by: [UInt8](repeating: 0, count: end - start))
    return framing == .bare ? result.withCheck(like: answer) : result
  }
}
