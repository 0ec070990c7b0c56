/// NDEF on type 4 tags, of type A and B: smart cards with the NFC Forum's application, DESFire cards
/// formatted so, NTAG 4xx. NFC Forum, Type 4 Tag Operation Specification 1.0 and 2.0, Type 4 Tag
/// Technical Specification 1.0 (mapping version 3).
///
/// Exchanges: SELECT of the application, SELECT and READ BINARY of the capability container, SELECT
/// of the NDEF file, then a READ BINARY that returns the length and the data of a short message, and others with MLe
/// bytes for the rest. The file stays selected.
///
/// Every call reaches the card. On DESFire and the NTAG 4xx, which only this reader can change
/// meanwhile, the content from an earlier call is still valid if the file's first part is the same;
/// any other card may have a wired host or be a program, and is read again.
///
/// To write, the length is set to zero; then come the data, MLc bytes per command, and finally the
/// length.
struct Type4Mapping: NDEFMapping {
  /// The chip, from activation and GetVersion.
  let product: TagProduct?
  /// The passwords of the NDEF file, which are presented after each of its selections.
  private let passwords: Type4Passwords?
  var layout = Layout.unknown
  /// The NDEF file from its first byte, including the length field, as far as it is known.
  private var content: [UInt8] = []
  /// Whether the known content was read, written or confirmed in this call.
  private var isValidated = false
  /// The card has answered in this call.
  private var hasAnswered = false
  /// The capability container on the card is broken, and this one is written in its place.
  private var repairedContainer: [UInt8]?

  enum Layout: Hashable, Sendable {
    case unknown
    case none
    case selected(Type4File)
  }

  init(product: TagProduct?, passwords: Type4Passwords? = nil) {
    self.product = product
    self.passwords = passwords
  }

  mutating func beginCall() {
    isValidated = false
    hasAnswered = false
    if layout == .none || repairedContainer != nil { layout = .unknown }
    repairedContainer = nil
    if !isChangedByReadersOnly { content = [] }
  }

  /// DESFire and NTAG 4xx have no interface but the antenna.
  private var isChangedByReadersOnly: Bool {
    CardChip(product)?.features.contains(.isChangedByReadersOnly) ?? false
  }

  // MARK: Formatting

  /// Selects the NDEF file; `nil` if the card has no NDEF application.
  mutating func file(_ link: TagLink) throws -> Type4File? {
    switch layout {
    case .none: return nil
    case .selected(let file): return file
    case .unknown: break
    }
    guard let container = try container(link) else {
      layout = .none
      return nil
    }
    let file = Type4File(container, link, passwords)
    try selectFile(file, link)
    hasAnswered = true
    layout = .selected(file)
    return file
  }

  /// Selects the NDEF file and opens it.
  func selectFile(_ file: Type4File, _ link: TagLink) throws {
    try select(file.identifier, isVersion1: file.isVersion1, link)
    try passwords?.open(file, link)
  }

  /// Selects the application and reads the capability container.
  private func container(_ link: TagLink) throws -> Type4CapabilityContainer? {
    let procedure = ISO7816Procedure(link)
    let identifier = Type4CapabilityContainer.fileIdentifier
    guard let hasApplication = try selectsApplication(link) else { return nil }
    let isVersion1 = !hasApplication
    if isVersion1 {
      // DESFire has this name for the card itself, which has no files.
      guard
        try procedure.select(.select(aid: .ndefOfVersion1)),
        try procedure.select(
          Type4Command.selectFile(identifier, isVersion1: true), file: identifier)
      else { return nil }
    } else {
      try select(identifier, isVersion1: false, link)
    }
    let shortest = Type4CapabilityContainer.minimumLength
    var reading = BinaryReading(limit: shortest, smallest: ISO7816Procedure.leastAnswer)
    var bytes: [UInt8] = []
    var needed = shortest
    while bytes.count < needed {
      bytes += try Type4File.part(
        of: identifier, offset: bytes.count, count: needed - bytes.count, &reading, procedure)
      if bytes.count == shortest { needed = try Type4CapabilityContainer.neededLength(bytes) }
    }
    return try Type4CapabilityContainer(bytes)
  }

  /// Selects the NDEF application of a card that may be anything. A card without it may not answer.
  static func hasApplication(_ link: TagLink) throws -> Bool {
    do {
      let answer = try selectApplication(link)
      return ISO7816Procedure.isSelected(try ResponseAPDU(answer))
    } catch let error as NFCError
      where [.tagResponseError, .tagConnectionLost].contains(error.code)
    {
      try link.selectAgain()
      return false
    }
  }

  /// SELECT, whose answer may not be one of ISO/IEC 7816-4.
  private static func selectApplication(_ link: TagLink) throws -> [UInt8] {
    try FrameLoss.onLine.repeatingOnce {
      try link.exchange(
        APDU.select(aid: .ndef).encoded, framing: .tagProtocol, timeout: ISO7816Exchange.timeout)
    }
  }

  /// Selects the application; `nil` if the card has no applications at all.
  ///
  /// A MIFARE Plus in security levels 0 and 3 answers with one byte, a status of its own and not the two of
  /// ISO/IEC 7816-4, 5.6 (NXP reader library, phalMfp). The same from another card is a broken answer.
  private func selectsApplication(_ link: TagLink) throws -> Bool? {
    let answer = try Self.selectApplication(link)
    if answer.count == 1, case .iso14443a(let target) = link.target,
      case .miFare(.plus) = TypeAIdentification.kind(target, version: nil)
    {
      return nil
    }
    return ISO7816Procedure.isSelected(try ResponseAPDU(answer))
  }

  func select(_ identifier: UInt16, isVersion1: Bool, _ link: TagLink) throws {
    let command = Type4Command.selectFile(identifier, isVersion1: isVersion1)
    guard try ISO7816Procedure(link).select(command, file: identifier) else {
      throw NFCError(
        .malformedContent, "the NDEF application lacks a file",
        cause: .statusWord(StatusWord.fileNotFound.rawValue), place: .file(identifier))
    }
  }

  mutating func status(_ link: TagLink) throws -> NDEFStatus {
    guard let file = try file(link) else { return .notSupported }
    try file.checkReadable()
    if !hasAnswered {
      // The file is already selected; selecting it again shows that the card is still present.
      try selectFile(file, link)
      hasAnswered = true
    }
    return file.status
  }

  /// Returns the status like ``status(_:)``, without an exchange if the layout is known: writing
  /// makes one.
  ///
  /// A capability container that is broken, or names a file that is not there, is replaced when the message is
  /// written, where the card lets it be written without a key.
  mutating func statusForWriting(_ link: TagLink) throws -> NDEFStatus {
    do {
      guard let file = try file(link) else { return .notSupported }
      try file.checkReadable()
      return file.status
    } catch let error as NFCError where error.code == .malformedContent && layout == .unknown {
      let bytes = try repairedContainer(insteadOf: error, link)
      guard let container = try Type4CapabilityContainer(bytes) else { throw error }
      let file = Type4File(container, link, passwords)
      try selectFile(file, link)
      hasAnswered = true
      layout = .selected(file)
      repairedContainer = bytes
      content = []
      return file.status
    }
  }

  // MARK: Reading

  mutating func discardCachedContent() {
    content = []
    isValidated = false
  }

  mutating func read(_ link: TagLink) throws -> [UInt8]? {
    guard var file = try file(link) else {
      throw NFCError(.notNDEF, "the card has no NDEF application")
    }
    try file.checkReadable()
    let procedure = ISO7816Procedure(link)
    try proveContent(&file, procedure)
    let end = try readContent(&file, procedure, upTo: nil)
    layout = .selected(file)
    return end == file.lengthSize ? nil : Array(content[file.lengthSize..<end])
  }

  /// Reads the first part of the file again, and forgets the rest if it has changed.
  private mutating func proveContent(
    _ file: inout Type4File, _ procedure: ISO7816Procedure
  ) throws {
    guard !isValidated, !content.isEmpty else { return }
    let part = try file.readBeginning(content.count, procedure)
    // A length alone does not show that the message is the same.
    if !content.starts(with: part) || part.count <= file.lengthSize { content = part }
    isValidated = true
    hasAnswered = true
  }

  /// Reads the unknown parts of the file, length field and message, to the message's end or only up
  /// to `limit`.
  ///
  /// - Returns: where the message ends in the file.
  private mutating func readContent(
    _ file: inout Type4File, _ procedure: ISO7816Procedure, upTo limit: Int?
  ) throws -> Int {
    var parts = 0
    func checkParts() throws {
      parts += 1
      guard parts <= file.toleratedParts else {
        throw NFCError(
          .tagResponseError, "the card returns its file in too many small parts",
          place: .file(file.identifier))
      }
    }
    while content.count < file.lengthSize {
      try checkParts()
      content +=
        content.isEmpty
        ? try file.readBeginning(
          file.endsWithMessage
            ? file.lengthSize : min(file.size, max(limit ?? 0, Type4File.firstRead)), procedure)
        : try file.read(offset: content.count, count: file.lengthSize - content.count, procedure)
    }
    isValidated = true
    hasAnswered = true
    let end = try file.end(content)
    while content.count < min(end, limit ?? end) {
      try checkParts()
      content += try file.read(offset: content.count, count: end - content.count, procedure)
    }
    return end
  }

  // MARK: Writing

  mutating func write(_ message: [UInt8], _ link: TagLink) throws {
    guard var file = try file(link) else {
      throw NFCError(.notNDEF, "the card has no NDEF application")
    }
    let procedure = ISO7816Procedure(link)
    try proveContent(&file, procedure)
    // The length is needed to take a write back that the card refuses half way. The rest of the content is worthwhile
    // if it can save more than the one command that it costs.
    if content.isEmpty, file.isReadable, !message.isEmpty {
      let isShort = message.count <= file.updateLimit
      let atOnce = min(message.count, max(0, file.readLimit - file.lengthSize))
      try readOld(isShort ? atOnce : message.count, &file, procedure)
    }
    let length = file.lengthField(message.count)
    let new = length + message
    let isKnown = content.count >= file.lengthSize
    let parts = Self.changes(from: content, to: new, after: file.lengthSize, file.updateLimit)
    guard
      !parts.isEmpty || !isKnown || !content.starts(with: length) || repairedContainer != nil
    else { return }
    try update(parts, of: new, length: length, &file, procedure, link)
    if let container = repairedContainer {
      try writeContainer(container, file.updateLimit, link)
      try selectFile(file, link)
      repairedContainer = nil
    }
    content = new + content.dropFirst(new.count)
    isValidated = true
    hasAnswered = true
    layout = .selected(file)
  }

  /// Writes the parts of the file that change: those past the old message first, while it is still there; then length
  /// zero, the other parts, and the length.
  ///
  /// If the card refuses one of them, the old message is restored; see ``UnitMemory`` for the rule.
  private mutating func update(
    _ parts: [Range<Int>], of new: [UInt8], length: [UInt8], _ file: inout Type4File,
    _ procedure: ISO7816Procedure, _ link: TagLink
  ) throws {
    let isKnown = content.count >= file.lengthSize
    let oldEnd = isKnown ? (try? file.end(content)) : nil
    let wasEmpty = isKnown && content.prefix(file.lengthSize).allSatisfy { $0 == 0 }
    let beyond = oldEnd.map { end in parts.filter { $0.lowerBound >= end } } ?? []
    let inside = parts.filter { !beyond.contains($0) }
    var begun: [Range<Int>] = []
    var isOpen = false
    // One command that is refused has changed nothing, but one of several may have.
    var isLastUntouched = true
    do {
      for part in beyond.reversed() {
        try file.update(offset: part.lowerBound, Array(new[part]), procedure)
      }
      if !inside.isEmpty, !wasEmpty {
        try file.update(offset: 0, file.lengthField(0), procedure)
        isOpen = true
      }
      for part in inside {
        begun.append(part)
        let limit = file.updateLimit
        defer { isLastUntouched = file.updateLimit == limit }
        try file.update(offset: part.lowerBound, Array(new[part]), procedure)
      }
      begun.append(0..<0)
      isLastUntouched = true
      try file.update(offset: 0, length, procedure)
    } catch let error as NFCError where error.group == .refusal || error.group == .content {
      guard let oldEnd else { throw error }
      if error.leavesMemoryInDoubt {
        isOpen = true
      } else if isLastUntouched, !begun.isEmpty {
        begun.removeLast()
      }
      let isRestored = link.restoring {
        for part in begun.reversed() {
          let old = part.clamped(to: file.lengthSize..<max(oldEnd, file.lengthSize))
          guard old.upperBound <= content.count else { return false }
          try file.update(offset: old.lowerBound, Array(content[old]), procedure)
        }
        guard isOpen else { return true }
        try file.update(offset: 0, Array(content.prefix(file.lengthSize)), procedure)
        return true
      }
      throw isRestored ? error : error.notTakenBack
    }
  }

  /// Reads the old message as far as the new one reaches; a broken length does not prevent a new
  /// one.
  private mutating func readOld(
    _ count: Int, _ file: inout Type4File, _ procedure: ISO7816Procedure
  ) throws {
    do {
      _ = try readContent(&file, procedure, upTo: file.lengthSize + count)
    } catch let error as NFCError where error.code == .malformedContent {
      content = []
    }
  }

  /// Returns the fewest runs of at most `limit` bytes that hold every byte that differs.
  static func changes(
    from old: [UInt8], to new: [UInt8], after start: Int, _ limit: Int
  ) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var index = start
    while index < new.count {
      guard index >= old.count || old[index] != new[index] else {
        index += 1
        continue
      }
      let end = min(index + max(1, limit), new.count)
      let last = (index..<end).last { $0 >= old.count || old[$0] != new[$0] } ?? index
      parts.append(index..<(last + 1))
      index = end
    }
    return parts
  }
}
