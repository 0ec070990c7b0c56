import SwiftNFCCore

/// Reads files of a chip with as few exchanges as the chip and the reader allow: READ BINARY by short identifier with
/// the full size at once, then by offset until the end of the object (Doc 9303-11, 9.8; ISO/IEC 7816-4, 7.2.3).
final class FileReader {
  private let channel: ChipChannel
  /// What the chip has shown.
  var habits: ReadingHabits
  /// Is called after each part.
  var report: (DocumentFile, PartialFile) -> Void = { _, _ in }

  /// The identifier of the file that the chip reads by offset.
  private var current: UInt16?

  private enum Instruction {
    static let select: UInt8 = 0xA4
    static let readBinary: UInt8 = 0xB0
    static let readBinaryWithDataObject: UInt8 = 0xB1
  }

  /// Offsets to here fit READ BINARY; those of larger files need a data object.
  private static let plainOffsetLimit = 0x8000
  /// No file of a travel document is larger.
  private static let sizeLimit = 1 << 20
  private static let shortSizeLimit = 256
  /// The size that the most cautious readers use.
  private static let safeSize = 112

  init(_ channel: ChipChannel, habits: ReadingHabits) {
    self.channel = channel
    self.habits = habits
  }

  /// Sends a command that reads no file.
  func send(_ command: APDU) throws -> ChipChannel.Answer { try channel.send(command) }

  /// Forgets which file is selected: another application was selected, whose files may have no short identifiers.
  func applicationChanged() {
    current = nil
    habits.hasUsedShortIdentifier = false
  }

  // MARK: Sizes

  /// The number of bytes that are read at once.
  var size: Int {
    let maximum = channel.link.maximumResponseLength
    let limit: Int
    if let messaging = channel.messaging {
      let answer = habits.extendedAnswer ?? min(maximum, Self.shortSizeLimit + 2)
      limit = SecureMessaging.dataLimit(messaging.cipher, answer: answer)
    } else {
      limit = (habits.extendedAnswer ?? min(maximum, Self.shortSizeLimit + 2)) - 2
    }
    return max(1, min(limit, habits.size ?? limit))
  }

  private func command(_ instruction: UInt8, p1: UInt8, p2: UInt8, data: [UInt8] = [], count: Int)
    -> APDU
  {
    APDU(
      instructionClass: 0, instructionCode: instruction, p1: p1, p2: p2, data: data,
      expectedLength: count)
  }

  // MARK: Files

  /// Reads a file that is one object, from where `partial` ends.
  ///
  /// - Returns: `false` if the chip does not have the file.
  /// - Throws: `notAuthenticated` if it is closed; `malformedContent`; the errors of the channel.
  func read(_ file: DocumentFile, into partial: inout PartialFile) throws -> Bool {
    if partial.bytes.isEmpty {
      guard try begin(file, &partial) else { return false }
    } else if current != file.identifier, !partial.isComplete {
      guard try select(file) else { throw Self.changed(file) }
    }
    try learn(&partial, file)
    var readCount = 0
    let startCount = partial.bytes.count
    while !partial.isComplete {
      readCount += 1
      // A chip that always returns a few bytes is abandoned.
      guard readCount <= 64 + (partial.bytes.count - startCount) / 16 else {
        throw Self.malformed(file, "the chip returns too few bytes")
      }
      guard try next(file, &partial) else {
        throw Self.malformed(file, "it ends before its content")
      }
      try learn(&partial, file)
    }
    if let total = partial.total, partial.bytes.count > total {
      partial.bytes.removeLast(partial.bytes.count - total)
    }
    return true
  }

  /// Reads a file of several objects to its end; `nil` if the chip does not have it.
  func readSeries(_ file: DocumentFile) throws -> [UInt8]? {
    var partial = PartialFile()
    guard try begin(file, &partial) else { return nil }
    var last = partial.bytes.count
    // An answer as long as it was asked for may not be the last one.
    while last == size, partial.bytes.count < Self.plainOffsetLimit {
      let before = partial.bytes.count
      guard try next(file, &partial) else { break }
      last = partial.bytes.count - before
    }
    return partial.bytes
  }

  private func learn(_ partial: inout PartialFile, _ file: DocumentFile) throws {
    if let tag = file.tag, let first = partial.bytes.first, first != tag {
      throw Self.malformed(file, "it has another tag")
    }
    do { try partial.learnSize() } catch {
      throw Self.malformed(file, error.reason)
    }
    guard (partial.total ?? partial.bytes.count) <= Self.sizeLimit else {
      throw Self.malformed(file, "it is too large")
    }
    report(file, partial)
  }

  /// Reads a file by its short identifier only; `false` if that does not work. A refused size is tried once more with one
  /// that every chip supports, and says nothing about other files.
  func readByShortIdentifier(_ file: DocumentFile, into partial: inout PartialFile) throws -> Bool {
    var sizes = [size]
    while let asked = sizes.popLast() {
      let answer = try channel.send(
        command(Instruction.readBinary, p1: 0x80 | file.shortIdentifier, p2: 0, count: asked))
      if let data = Self.data(answer) {
        habits.hasUsedShortIdentifier = true
        current = file.identifier
        partial.bytes = data
        return try read(file, into: &partial)
      }
      if case .size(let stated) = Self.meaning(answer), asked == size {
        sizes = [stated.map { min($0, asked - 1) } ?? Self.safeSize].filter { $0 > 0 }
      }
    }
    return false
  }

  /// Reads a file that is selected first; `false` if the chip does not have it.
  func readSelected(_ file: DocumentFile, into partial: inout PartialFile) throws -> Bool {
    let before = habits.usesShortIdentifiers
    defer { habits.usesShortIdentifiers = before }
    habits.usesShortIdentifiers = false
    return try read(file, into: &partial)
  }

  // MARK: First read

  /// Reads the beginning of a file, and finds out what the chip supports.
  private func begin(_ file: DocumentFile, _ partial: inout PartialFile) throws -> Bool {
    while true {
      if !habits.usesShortIdentifiers {
        if current != file.identifier { guard try select(file) else { return false } }
      }
      let asked = size
      let answer = try channel.send(
        habits.usesShortIdentifiers
          ? command(Instruction.readBinary, p1: 0x80 | file.shortIdentifier, p2: 0, count: asked)
          : command(Instruction.readBinary, p1: 0, p2: 0, count: asked))
      if let data = Self.data(answer) {
        if habits.usesShortIdentifiers { habits.hasUsedShortIdentifier = true }
        current = file.identifier
        partial.bytes = data
        return true
      }
      switch Self.meaning(answer) {
      case .size(let stated):
        guard !habits.lower(below: asked, stated: stated) else { continue }
        if habits.usesShortIdentifiers, !habits.hasUsedShortIdentifier {
          habits.usesShortIdentifiers = false
          habits.size = nil
          continue
        }
        throw Self.refused(file, answer.statusWord)
      case .closed: throw Self.closed(file, answer.statusWord)
      case .absent, .other:
        guard habits.usesShortIdentifiers, !habits.hasUsedShortIdentifier else {
          guard Self.meaning(answer) == .absent else { throw Self.refused(file, answer.statusWord) }
          return false
        }
        // The chip may not have short identifiers.
        guard try select(file) else { return false }
        habits.usesShortIdentifiers = false
      }
    }
  }

  /// Selects a file; `false` if the chip does not have it.
  private func select(_ file: DocumentFile) throws -> Bool {
    let answer = try channel.send(
      APDU(
        instructionClass: 0, instructionCode: Instruction.select, p1: 0x02, p2: 0x0C,
        data: file.identifier.bigEndianBytes))
    guard !answer.isSuccess else {
      current = file.identifier
      return true
    }
    if Self.meaning(answer) == .closed { throw Self.closed(file, answer.statusWord) }
    return false
  }

  // MARK: Further reads

  /// Reads the next part; `false` if there is none.
  private func next(_ file: DocumentFile, _ partial: inout PartialFile) throws -> Bool {
    let offset = partial.bytes.count
    while true {
      let asked = min(size, (partial.total ?? .max) - offset)
      let answer: ChipChannel.Answer
      var data: [UInt8]?
      if offset < Self.plainOffsetLimit {
        answer = try channel.send(
          command(
            Instruction.readBinary, p1: UInt8(offset >> 8), p2: UInt8(offset & 0xFF), count: asked))
        data = Self.data(answer)
      } else {
        (answer, data) = try readBeyond(offset, asked)
      }
      if let data {
        partial.bytes += data
        return true
      }
      guard case .size(let stated) = Self.meaning(answer) else {
        if Self.meaning(answer) == .closed { throw Self.closed(file, answer.statusWord) }
        throw Self.refused(file, answer.statusWord)
      }
      // At the end of a file of unknown size, the same answers mean that nothing more is there.
      guard partial.total != nil else { return false }
      guard habits.lower(below: asked, stated: stated) else { return false }
    }
  }

  /// READ BINARY with the offset in a data object (ISO/IEC 7816-4, 7.2.3): the answer has a header of up to four bytes.
  private func readBeyond(
    _ offset: Int, _ count: Int
  ) throws -> (ChipChannel.Answer, [UInt8]?) {
    let asked = min(size, count + 4)
    let answer = try channel.send(
      command(
        Instruction.readBinaryWithDataObject, p1: 0, p2: 0,
        data: DER.object(0x54, DER.number(offset)), count: asked))
    guard let data = Self.data(answer), let header = try? BERObject.Header(data[...]),
      header.tag == 0x53 || header.tag == 0x73
    else { return (answer, nil) }
    let content = Array(data.dropFirst(header.size).prefix(count))
    return (answer, content.isEmpty ? nil : content)
  }

  // MARK: Answers

  /// What an answer without data means.
  private enum Meaning: Hashable {
    /// Another size may work; the chip may name it.
    case size(Int?)
    case absent
    case closed
    case other
  }

  /// Returns the data of an answer; at the end of a file, the chip warns that it is shorter (6282).
  private static func data(_ answer: ChipChannel.Answer) -> [UInt8]? {
    guard !answer.isBare, !answer.data.isEmpty,
      answer.statusWord == 0x9000 || answer.statusWord == 0x6282
    else { return nil }
    return answer.data
  }

  private static func meaning(_ answer: ChipChannel.Answer) -> Meaning {
    switch answer.statusWord {
    case 0x6C00...0x6CFF:
      let stated = Int(answer.statusWord & 0xFF)
      return .size(stated == 0 ? nil : stated)
    case 0x6700, 0x6B00, 0x6282, 0x9000: return .size(nil)
    case 0x6A82, 0x6A83, 0x6283, 0x6A88: return .absent
    case 0x6982: return .closed
    default: return .other
    }
  }

  private static func malformed(_ file: DocumentFile, _ reason: String) -> NFCError {
    NFCError(.malformedContent, "\(file.name) is malformed: \(reason)")
  }

  private static func refused(_ file: DocumentFile, _ word: UInt16) -> NFCError {
    NFCError(.tagRefused, "the document does not give out \(file.name)", cause: .statusWord(word))
  }

  private static func closed(_ file: DocumentFile, _ word: UInt16) -> NFCError {
    NFCError(
      .notAuthenticated, "the document does not allow reading \(file.name)",
      cause: .statusWord(word))
  }

  private static func changed(_ file: DocumentFile) -> NFCError {
    NFCError(.malformedContent, "\(file.name) is not there any more")
  }
}
