import SwiftNFCJSONText
import NFC
import SecureTags

/// The details that `nfc info` reads from a tag, in addition to its product and its NDEF message.
struct TagDetails {
  /// The tag's lock bits.
  struct Locks {
    var staticBits: [UInt8]
    var dynamicBits: [UInt8]?
  }

  /// Pages, blocks or sectors with the same use.
  struct Area {
    static let sector = "sector"

    var unit: String
    var numbers: ClosedRange<Int>
    var use: String
  }

  /// The part of a tag that a password or key protects.
  struct Protection {
    /// The first protected page or block, or `nil` if none is protected.
    var from: Int?
    var protectsReading = false
    /// The permitted number of wrong passwords, or 0 for no limit.
    var attempts = 0
    var isConfigurationLocked = false
    var protectsWriting = true
    /// The unit of ``from``.
    var unit = "page"
  }

  var originality = OriginalitySignature.Verdict.unknown
  var signature: [UInt8]?
  /// The answer to GET_VERSION.
  var version: [UInt8]?
  var locks: Locks?
  /// The locked pages, or `nil` for a tag without pages.
  var lockedPages: [Int]?
  /// The locked blocks, or `nil` for a tag without blocks or one that does not report its locks.
  var lockedBlocks: [Int]?
  var protection: Protection?
  var counters: [(number: Int, value: Int)] = []
  var memoryMap: [Area] = []
  /// Further facts, for people.
  var facts: [(name: String, value: String)] = []
  /// Further facts, for programs.
  var members: [JSONValue.Member] = []
  /// The memory, as far as it was read, if it was requested.
  var memory: MemoryListing?

  /// - Parameters:
  ///   - information: what an ISO 15693 tag reports about itself.
  ///   - keys: the keys for the sectors of a MIFARE Classic, and the password of an Ultralight or NTAG.
  ///   - listsMemory: whether the memory is kept.
  init(
    _ tag: DetectedTag, _ product: TagProduct?, _ information: ISO15693SystemInformation?,
    _ keys: TagKeys, password: [UInt8]?, listsMemory: Bool
  ) async throws {
    if case .miFare(let card) = tag, card.ultralight != nil || card.classic != nil {
      // The keys are used below.
    } else {
      try keys.checkAbsence(for: tag.kindName)
    }
    switch tag {
    case .miFare(let miFare):
      if let commands = miFare.ultralight {
        let key = try keys.ultralight(product, password: password)
        try await ask(tag, commands, product, key, listsMemory: listsMemory)
      } else if let commands = miFare.classic {
        try await ask(commands, uid: tag.identifier, try keys.classic, listsMemory: listsMemory)
      } else if miFare.ats.count > 0 {
        if let product {
          try await checkOriginality(tag, product) { try await miFare.sendCommand($0) }
        }
        if miFare.family == .desfire {
          add(version: tag.reportedVersion)
          try await askDESFire(miFare)
        }
      }
    case .iso7816(let card):
      if let product {
        try await checkOriginality(tag, product) { try await card.sendCommand($0) }
        if CardChip(product)?.features.contains(.version) == true {
          add(version: tag.reportedVersion)
        }
      }
      if let product, ST25TATag.isST25TA(product) { try await askFile(card, product) }
      try await askApplications(card)
    case .iso15693(let vicinity):
      try await ask(vicinity, product, information, password: password, listsMemory: listsMemory)
    case .feliCa(let card): try await ask(card, product, listsMemory: listsMemory)
    case .other(let other):
      if other.technology == .jewel { try await askTopaz(other, listsMemory: listsMemory) }
      if case .barcode(let data) = other.target { readBarcode(data) }
    }
  }

  /// Returns the chip's answer, or `nil` if the chip does not have the data or requires a password for it. A
  /// chip that does not support a command may not answer at all, and then has to be woken.
  func answer<Result>(
    _ tag: DetectedTag, _ ask: () async throws -> Result
  ) async throws -> Result? {
    try await Self.answer(tag, ask)
  }

  static func answer<Result>(
    _ tag: DetectedTag, _ ask: () async throws -> Result
  ) async throws -> Result? {
    try await tag.answer(ask)
  }

  // MARK: DESFire and NTAG 4xx

  /// Read_Sig for the signature with number 0, in the format of ISO/IEC 7816-4 (NTAG 424 DNA data sheet,
  /// 10.9; MIFARE DESFire Light data sheet, 11.3).
  private static let readSignature = APDU(
    instructionClass: 0x90, instructionCode: 0x3C, p1: 0, p2: 0, data: [0x00],
    expectedLength: 256)
  private static let signatureSize = 56
  /// Whether Read_Sig is a command of the chip, as far as is known. ST's chips have another signature.
  private static func mayHaveSignature(_ product: TagProduct) -> Bool {
    CardChip(product)?.features.contains(.readSignature) ?? true
  }

  private mutating func checkOriginality(
    _ tag: DetectedTag, _ product: TagProduct, _ send: (APDU) async throws -> ResponseAPDU
  ) async throws {
    guard Self.mayHaveSignature(product),
      let answer = try await answer(tag, { try await send(Self.readSignature) }),
      answer.data.count == Self.signatureSize
    else { return }
    signature = answer.data
    originality = OriginalitySignature.verify(
      uid: tag.identifier, signature: answer.data, product: product)
  }
}

// MARK: - Output

extension TagDetails {
  /// The members of `info --json` that follow `ndef`.
  var json: [JSONValue.Member] {
    func numbers(_ list: [Int]?) -> JSONValue? { list.map { .array($0.map { .integer($0) }) } }
    let protection: JSONValue? = protection.map { protection in
      .members([
        "password": .bool(protection.from != nil), "from": protection.from.map { .integer($0) },
        "read": .bool(protection.protectsReading),
        "write": protection.protectsWriting ? nil : .bool(false),
        "attempts": .integer(protection.attempts),
      ])
    }
    let locks: JSONValue? = locks.map { locks in
      .members([
        "static": .bytes(locks.staticBits), "dynamic": locks.dynamicBits.map { .bytes($0) },
      ])
    }
    let counters: JSONValue? =
      counters.isEmpty
      ? nil
      : .array(
        counters.map { .members(["number": .integer($0.number), "value": .integer($0.value)]) })
    let map: JSONValue? =
      memoryMap.isEmpty
      ? nil
      : .array(
        memoryMap.map {
          .members([
            "unit": .string($0.unit), "first": .integer($0.numbers.lowerBound),
            "last": .integer($0.numbers.upperBound), "use": .string($0.use),
          ])
        })
    guard
      case .object(let common) = JSONValue.members([
        "originality": .string(originality.rawValue), "lockedPages": numbers(lockedPages),
        "lockedBlocks": numbers(lockedBlocks), "protection": protection,
        "version": version.map { .bytes($0) }, "signature": signature.map { .bytes($0) },
        "locks": locks, "counters": counters, "memoryMap": map,
      ])
    else { return members }
    return common + members + (memory.map { [$0.member] } ?? [])
  }

  /// Adds the lines for people.
  func addRows(to table: inout FactTable) {
    switch originality {
    case .genuine: table.add("originality", "genuine, by the maker's signature", .good)
    case .notGenuine:
      table.add("originality", "not genuine: the signature is not the maker's", .bad)
    case .unknown:
      table.add(
        "originality",
        signature == nil
          ? "unknown: no signature that could be checked"
          : "unknown: no key that is known here verifies the signature")
    }
    if let version { table.add("version", version.hexadecimal) }
    if let signature { table.add("signature", signature.hexadecimal) }
    if let protection { table.add("password", protection.text) }
    if let locks {
      let dynamicBits = locks.dynamicBits.map { ", dynamic \($0.hexadecimal)" } ?? ""
      table.add("lock bits", "static \(locks.staticBits.hexadecimal)\(dynamicBits)")
    }
    if let lockedPages { table.add("locked pages", Self.list(lockedPages)) }
    if let lockedBlocks { table.add("locked blocks", Self.list(lockedBlocks)) }
    for counter in counters { table.add("counter \(counter.number)", "\(counter.value)") }
    for fact in facts { table.add(fact.name, fact.value) }
    for area in memoryMap {
      let (first, last) = (area.numbers.lowerBound, area.numbers.upperBound)
      let numbers = first == last ? "\(area.unit) \(first)" : "\(area.unit)s \(first)-\(last)"
      // The rows of a card's sectors already have these names.
      if area.unit == Area.sector {
        table.add("layout", "\(numbers): \(area.use)")
      } else {
        table.add(numbers, area.use)
      }
    }
  }

  private static func list(_ numbers: [Int]) -> String {
    numbers.isEmpty ? "none" : NumberList.text(numbers)
  }
}

extension TagDetails.Protection {
  fileprivate var text: String {
    guard let from else { return "none" }
    let use = [protectsReading ? "read" : nil, protectsWriting ? "write" : nil]
      .compactMap(\.self).joined(separator: " and ")
    let limit =
      switch (unit, attempts) {
      case ("page", 0): ", any number of attempts"
      case (_, 0): ""
      default: ", \(attempts) wrong attempts at most"
      }
    let lock = isConfigurationLocked ? ", cannot be changed any more" : ""
    return "needed to \(use) from \(unit) \(from) on\(limit)\(lock)"
  }
}
