import NFC

/// What `nfc info` finds out by asking the tag, besides its product and its NDEF message.
struct TagDetails {
  /// Lock bits as they stand on the tag, and the pages that the static ones close.
  struct Locks {
    var staticBits: [UInt8]
    var dynamicBits: [UInt8]?
    var pages: [Int]
  }

  /// Pages, blocks or sectors that are used alike.
  struct Area {
    var unit: String
    var numbers: ClosedRange<Int>
    var use: String
  }

  var originality = OriginalitySignature.Verdict.unknown
  var locks: Locks?
  var counters: [(number: Int, value: Int)] = []
  var memoryMap: [Area] = []

  init(_ tag: DetectedTag, _ product: TagProduct?) async throws {
    switch tag {
    case .miFare(let tag):
      if let commands = tag.ultralight, let product {
        try await ask(commands, product, uid: tag.identifier)
      } else if let commands = tag.classic {
        memoryMap = Self.map(commands.geometry)
      } else if let product, tag.ats.count > 0 {
        try await checkOriginality(product, tag.identifier) { try await tag.sendCommand($0) }
      }
    case .iso7816(let tag):
      guard let product else { return }
      try await checkOriginality(product, tag.identifier) { try await tag.sendCommand($0) }
    case .feliCa, .iso15693, .other: return
    }
  }
}

// MARK: - Ultralight and NTAG

extension TagDetails {
  private static let pageSize = 4

  private mutating func ask(
    _ commands: UltralightCommands, _ product: TagProduct, uid: [UInt8]
  ) async throws {
    if let signature = try await answer({ try await commands.readSignature() }) {
      originality = OriginalitySignature.verify(uid: uid, signature: signature, product: product)
    }
    for number in Self.counters(of: product) {
      guard let value = try await answer({ try await commands.readCounter(number) }) else {
        continue
      }
      counters.append((Int(number), value))
    }
    do {
      let dump = try await commands.dump()
      locks = Self.locks(dump)
      memoryMap = Self.map(dump)
    } catch let error as NFCError where error.code == .unsupported {
      // The pages of this chip are not known.
    }
  }

  /// `nil` for what the chip has not, or does not tell without a password.
  private func answer<Result>(_ ask: () async throws -> Result) async throws -> Result? {
    do {
      return try await ask()
    } catch let error as NFCError where error.group == .refusal {
      return nil
    }
  }

  /// NTAG21x data sheet, 8.7; MF0ULx1 data sheet, 8.7.
  private static func counters(of product: TagProduct) -> [UInt8] {
    switch product.name {
    case "NTAG213", "NTAG215", "NTAG216": [2]
    case "MIFARE Ultralight EV1": [0, 1, 2]
    default: []
    }
  }

  /// The page of the dynamic lock bits: behind the user's (NTAG21x data sheet, 8.5.3; MF0ULx1, MF0ICU2
  /// and NTAG203 data sheets).
  private static func lockPage(_ dump: UltralightDump) -> Int? {
    let pageCount = dump.bytes.count / pageSize
    switch (dump.product.name, pageCount) {
    case ("NTAG212", _), ("NTAG213", _), ("NTAG213F", _), ("NTAG215", _), ("NTAG216", _),
      ("NTAG216F", _),
      ("MIFARE Ultralight EV1", 41):
      return pageCount - 5
    case ("NTAG203", _), ("MIFARE Ultralight C", _): return 40
    default: return nil
    }
  }

  /// Bytes 2 and 3 of page 2: a bit for each of the pages 3 to 15, the three lowest freeze others
  /// (NTAG21x data sheet, 8.5.2).
  private static func locks(_ dump: UltralightDump) -> Locks? {
    let offset = 10
    guard dump.bytes.count > offset + 1, dump.firstProtectedPage ?? .max > 2 else { return nil }
    let bits = Array(dump.bytes[offset...offset + 1])
    let word = Int(bits[0]) | Int(bits[1]) << 8
    var dynamicBits: [UInt8]?
    if let page = lockPage(dump), page < dump.firstProtectedPage ?? .max {
      dynamicBits = Array(dump.bytes[page * pageSize..<page * pageSize + 3])
    }
    return Locks(
      staticBits: bits, dynamicBits: dynamicBits, pages: (3...15).filter { word >> $0 & 1 == 1 })
  }

  private static func map(_ dump: UltralightDump) -> [Area] {
    let pageCount = dump.bytes.count / pageSize
    let lockPage = lockPage(dump)
    // Two pages of configuration, then password and acknowledge.
    let configuration: Int? =
      switch dump.product.name {
      case "MIFARE Ultralight", "MIFARE Ultralight C", "NTAG203": nil
      default: pageCount - 4
      }
    let lastUserPage = (lockPage ?? configuration ?? pageCount) - 1
    var areas = [
      Area(unit: "page", numbers: 0...2, use: "UID and lock bits"),
      Area(unit: "page", numbers: 3...3, use: "capability container, bits set for good"),
      Area(unit: "page", numbers: 4...lastUserPage, use: "user memory"),
    ]
    if let lockPage {
      areas.append(Area(unit: "page", numbers: lockPage...lockPage, use: "dynamic lock bits"))
    }
    switch dump.product.name {
    case "NTAG203":
      areas.append(Area(unit: "page", numbers: 41...41, use: "counter"))
    case "MIFARE Ultralight C":
      areas.append(Area(unit: "page", numbers: 41...41, use: "counter"))
      areas.append(Area(unit: "page", numbers: 42...43, use: "configuration"))
      areas.append(Area(unit: "page", numbers: 44...47, use: "key, cannot be read"))
    default: break
    }
    if let configuration {
      areas.append(
        Area(unit: "page", numbers: configuration...configuration + 1, use: "configuration"))
      areas.append(
        Area(
          unit: "page", numbers: configuration + 2...configuration + 3,
          use: "password and acknowledge, cannot be read"))
    }
    if let first = dump.firstProtectedPage {
      areas.append(
        Area(unit: "page", numbers: first...pageCount - 1, use: "cannot be read without a key"))
    }
    return areas
  }

  // MARK: - Classic

  /// The last block of a sector is its trailer (MF1S50YYX and MF1S70YYX data sheets, 8.6).
  private static func map(_ geometry: MiFareClassicGeometry) -> [Area] {
    let small = geometry.sectors.filter { geometry.blocks(ofSector: $0).count == 4 }
    let large = geometry.sectors.filter { geometry.blocks(ofSector: $0).count != 4 }
    return [
      (small, "3 blocks of 16 bytes and a trailer"), (large, "15 blocks of 16 bytes and a trailer"),
    ].compactMap { sectors, use in
      guard let first = sectors.first, let last = sectors.last else { return nil }
      return Area(unit: "sector", numbers: first...last, use: use)
    }
  }

  // MARK: - DESFire and NTAG 4xx

  /// Read_Sig of the signature with number 0, in the form of ISO/IEC 7816-4 (NTAG 424 DNA data sheet,
  /// 10.9; MIFARE DESFire Light data sheet, 11.3).
  private static let readSignature = APDU(
    instructionClass: 0x90, instructionCode: 0x3C, p1: 0, p2: 0, data: [0x00],
    expectedLength: 256)
  private static let signatureSize = 56

  private mutating func checkOriginality(
    _ product: TagProduct, _ uid: [UInt8], _ send: (APDU) async throws -> ResponseAPDU
  ) async throws {
    guard product.name != "MIFARE Plus",
      let answer = try await answer({ try await send(Self.readSignature) }),
      answer.data.count == Self.signatureSize
    else { return }
    originality = OriginalitySignature.verify(uid: uid, signature: answer.data, product: product)
  }
}

// MARK: - Output

extension TagDetails {
  /// What `info --json` has of it, behind `ndef`.
  var members: [JSON.Member] {
    let locks: JSON? = locks.map { locks in
      .members([
        "static": .bytes(locks.staticBits), "dynamic": locks.dynamicBits.map { .bytes($0) },
        "lockedPages": .array(locks.pages.map { .integer($0) }),
      ])
    }
    let counters: JSON? =
      counters.isEmpty
      ? nil
      : .array(
        counters.map { .members(["number": .integer($0.number), "value": .integer($0.value)]) })
    let map: JSON? =
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
      case .object(let members) = JSON.members([
        "originality": .string(originality.rawValue), "locks": locks, "counters": counters,
        "memoryMap": map,
      ])
    else { return [] }
    return members
  }

  /// The lines for people: name and value.
  var lines: [(String, String)] {
    let verdict =
      switch originality {
      case .genuine: "genuine, by the maker's signature"
      case .notGenuine: "not genuine: the signature is not the maker's"
      case .unknown: "unknown: no signature that could be checked"
      }
    var lines = [("originality", verdict)]
    if let locks {
      let pages = locks.pages.map(String.init).joined(separator: ", ")
      let dynamicBits = locks.dynamicBits.map { ", dynamic \($0.hexadecimal)" } ?? ""
      lines.append(
        (
          "locks",
          "static \(locks.staticBits.hexadecimal)\(dynamicBits)"
            + (pages.isEmpty ? "" : ", closes pages \(pages)")
        ))
    }
    for counter in counters { lines.append(("counter \(counter.number)", "\(counter.value)")) }
    for area in memoryMap {
      let (first, last) = (area.numbers.lowerBound, area.numbers.upperBound)
      lines.append(
        (first == last ? "\(area.unit) \(first)" : "\(area.unit)s \(first)-\(last)", area.use))
    }
    return lines
  }
}
