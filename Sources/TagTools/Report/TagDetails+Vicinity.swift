import SwiftNFCJSONText
import NFC
import SecureTags

/// Details of an ISO 15693 tag.
extension TagDetails {
  mutating func ask(
    _ tag: any ISO15693Tag, _ product: TagProduct?, _ information: ISO15693SystemInformation?,
    password: [UInt8]?, listsMemory: Bool
  ) async throws {
    let detected = DetectedTag.iso15693(tag)
    if let reference = information?.icReference {
      facts.append(("IC reference", [reference].hexadecimal))
      members.append(JSONValue.Member(key: "icReference", value: .bytes([reference])))
    }
    guard let count = information?.blockCount, count > 0 else { return }
    if let status = try await answer(detected, { try await tag.securityStatus(0..<count) }) {
      lockedBlocks = status.indices.filter { status[$0] & 1 == 1 }
    }
    if let product { try await askMaker(tag, product, blockCount: count) }
    guard listsMemory else { return }
    // If the tag did not answer a command, it may have forgotten the password.
    if password != nil { try await detected.authenticate(password) }
    guard
      let content = try await answer(
        detected,
        { try await detected.readImage(keys: TagKeys(), passwordBytes: nil, extent: .memory) })
    else { return }
    memory = MemoryListing(content.image, locked: lockedBlocks ?? [])
  }

  private mutating func askMaker(
    _ tag: any ISO15693Tag, _ product: TagProduct, blockCount: Int
  ) async throws {
    if ICODETag.isICODE(product) {
      try await askICODE(tag, product)
    } else if ST25Tag.isST25(product) {
      try await askST25(tag)
    }
    let chip = ISO15693Chip(product)
    guard case .trust25? = chip?.signature, blockCount >= TruST25.blocks.upperBound,
      let found = try await answer(DetectedTag.iso15693(tag), { try await Self.trust25(tag) }),
      let found
    else { return }
    signature = found.signature
    // The signature of another key does not indicate whether the chip is original.
    if found.key == TruST25.knownKey {
      originality = OriginalitySignature.verify(
        uid: tag.identifier, signature: found.signature, product: product)
    }
  }

  // MARK: ICODE

  private mutating func askICODE(
    _ tag: any ISO15693Tag, _ product: TagProduct
  ) async throws {
    let detected = DetectedTag.iso15693(tag)
    let icode = try await ICODETag(tag)
    try await askProtection(icode, detected)
    if let bytes = try await answer(detected, { try await icode.signature() }) {
      signature = bytes
      originality = Self.verdict(uid: tag.identifier, bytes, product)
    }
    // A chip that does not answer unknown commands is not asked whether its alarm is on.
    guard protection != nil || ISO15693Chip(product)?.icode?.hasPlainSurveillance == true else {
      return
    }
    let alarms = try await answer(detected) { try await icode.isSurveillanceActive() } ?? false
    facts.append(("article surveillance", alarms ? "on, the tag sounds the alarm" : "off"))
    members.append(JSONValue.Member(key: "eas", value: .bool(alarms)))
  }

  private mutating func askProtection(_ icode: ICODETag, _ tag: DetectedTag) async throws {
    // As far as is known, only a SLIX2 has this information. Another is asked for it all the same, unless it has
    // pages.
    let found = try await answer(tag) {
      icode.hasProtectedPages
        ? try await icode.memoryProtection() : .parts(try await icode.information())
    }
    switch found {
    case .parts(let state):
      protection = Protection(state)
      add(state)
    case .pages(let pages): add(pages)
    case nil: break
    }
  }

  private mutating func add(_ pages: [ICODEPage]) {
    protection = Protection(pages)
    let state = ICODEMemoryProtection.pages(pages)
    if !state.isOpen { facts.append(("password protection", "\(state)")) }
    let locked = pages.filter(\.isProtectionLocked)
    if !locked.isEmpty {
      let blocks = NumberList.text(locked.flatMap { Array($0.blocks) })
      facts.append(("permanently locked", "protection of blocks \(blocks)"))
    }
    members.append(
      JSONValue.Member(
        key: "areas",
        value: .array(
          pages.map { page in
            .members([
              "first": .integer(page.blocks.lowerBound),
              "last": .integer(page.blocks.upperBound - 1),
              "readPassword": .bool(page.passwords.read),
              "writePassword": .bool(page.passwords.write),
              "protectionLocked": .bool(page.isProtectionLocked),
            ])
          })))
  }

  private mutating func add(_ state: ICODEInformation) {
    let locks = [
      (state.isAFILocked, "AFI"), (state.isDSFIDLocked, "DSFID"),
      (state.isSurveillanceLocked, "article surveillance"),
      (state.isProtectionLocked, "protection"),
    ].filter(\.0).map(\.1)
    facts.append(("permanently locked", locks.isEmpty ? "none" : locks.joined(separator: ", ")))
    members += [
      JSONValue.Member(key: "afiLocked", value: .bool(state.isAFILocked)),
      JSONValue.Member(key: "dsfidLocked", value: .bool(state.isDSFIDLocked)),
      JSONValue.Member(key: "easLocked", value: .bool(state.isSurveillanceLocked)),
    ]
  }

  /// Verifies the signature. NXP signs the UID in the byte order used over the air. Some readers return the
  /// UID and the signature in reverse order (Proxmark3, cmdhf15.c, tries all combinations).
  private static func verdict(
    uid: [UInt8], _ signature: [UInt8], _ product: TagProduct
  ) -> OriginalitySignature.Verdict {
    let pairs = [
      (Array(uid.reversed()), signature), (uid, Array(signature.reversed())), (uid, signature),
    ]
    let verdicts = pairs.map {
      OriginalitySignature.verify(uid: $0, signature: $1, product: product)
    }
    return verdicts.contains(.genuine) ? .genuine : verdicts[0]
  }

  // MARK: ST25

  private mutating func askST25(_ tag: any ISO15693Tag) async throws {
    guard
      let areas = try await answer(
        DetectedTag.iso15693(tag), { try await ST25Tag(tag).areas() })
    else { return }
    protection = Protection(areas)
    for (index, area) in areas.enumerated() {
      facts.append(
        ("area \(index + 1)", "blocks \(NumberList.text(Array(area.blocks))), \(area)"))
    }
    members.append(
      JSONValue.Member(
        key: "areas",
        value: .array(
          areas.map { area in
            .members([
              "first": .integer(area.blocks.lowerBound),
              "last": .integer(area.blocks.upperBound - 1),
              "readPassword": .bool(area.needsPasswordToRead),
              "writePassword": .bool(area.needsPasswordToWrite),
              "readOnly": area.isReadOnly ? .bool(true) : nil,
            ])
          })))
  }
}

/// The signature of ST on an ST25TV02KC: the number of the key and 32 bytes, as text at the end of the user
/// memory.
///
/// Source: AN5580. The location and the format are from Proxmark3, cmdhf15.c. Not tried on hardware.
private enum TruST25 {
  /// The blocks with `K`, the number of the key, `S`, and the signature in hexadecimal.
  static let blocks = 63..<80
  static let knownKey: UInt8 = 0x04
  static let keyMark = UInt8(ascii: "K")
  static let signatureMark = UInt8(ascii: "S")
  static let size = 32

  /// Parses a signature, or returns `nil` for other bytes.
  static func parse(_ bytes: [UInt8]) -> (key: UInt8, signature: [UInt8])? {
    guard bytes.count == 4 + 2 * size, bytes[0] == keyMark, bytes[3] == signatureMark,
      let key = [UInt8](hexadecimal: String(decoding: bytes[1...2], as: UTF8.self))?.first,
      let signature = [UInt8](hexadecimal: String(decoding: bytes[4...], as: UTF8.self)),
      signature.count == size
    else { return nil }
    return (key, signature)
  }
}

extension TagDetails {
  /// Reads the signature. Returns `nil` if a message or other data is in its place.
  private static func trust25(
    _ tag: any ISO15693Tag
  ) async throws -> (key: UInt8, signature: [UInt8])? {
    TruST25.parse(try await tag.readBlocks(TruST25.blocks).flatMap(\.data))
  }
}

extension TagDetails.Protection {
  /// Creates the protection of an ICODE, whose memory has two parts.
  fileprivate init(_ state: ICODEInformation) {
    let division = state.division
    let first = [division.lowPart, division.highPart].first { $0.read || $0.write }
    self.init(
      from: first.map { $0 == division.lowPart && division.pointer > 0 ? 0 : division.pointer },
      protectsReading: first?.read ?? false, isConfigurationLocked: state.isProtectionLocked,
      unit: "block")
  }

  /// Creates the protection of an ICODE, whose pages are protected one by one, from its first protected page.
  fileprivate init(_ pages: [ICODEPage]) {
    let first = pages.first { $0.passwords != .open }
    self.init(
      from: first?.blocks.lowerBound, protectsReading: first?.passwords.read ?? false,
      isConfigurationLocked: pages.contains(where: \.isProtectionLocked), unit: "block")
  }

  /// Creates the protection of an ST25DV or ST25TV from its first protected area.
  fileprivate init(_ areas: [ST25Area]) {
    let first = areas.first { $0.needsPasswordToWrite }
    self.init(
      from: first?.blocks.lowerBound, protectsReading: first?.needsPasswordToRead ?? false,
      unit: "block")
  }
}
