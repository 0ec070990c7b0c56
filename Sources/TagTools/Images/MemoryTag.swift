import NFC
import TagImages

/// A tag from which an image can be made.
enum MemoryTag: Sendable {
  case classic(MiFareClassicCommands, any MiFareTag)
  case ultralight(UltralightCommands, any MiFareTag)
  case vicinity(any ISO15693Tag)
  /// A FeliCa Lite or Lite-S.
  case feliCaLite(any FeliCaTag)
  /// A FeliCa card, of which the services that do not require a key are read.
  case feliCa(any FeliCaTag)
  case topaz(OtherTag)
  /// A DESFire card with its applications and files.
  case desfire(any MiFareTag)
  /// A smart card with files of ISO/IEC 7816-4.
  case smartCard(any ISO7816Tag)
  /// A tag that Core NFC does not support: SRx, CTx, barcode, iCLASS, or a card of which only the identity is
  /// available.
  case other(OtherTag)
  /// A MIFARE Plus, whose blocks need AES keys.
  case plus(any MiFareTag)

  init?(_ tag: DetectedTag) {
    switch tag {
    case .miFare(let tag) where tag.family == .desfire: self = .desfire(tag)
    case .miFare(let card) where card.family == .plus && card.classic == nil: self = .plus(card)
    case .miFare: self.init(miFare: tag)
    case .iso15693(let tag): self = .vicinity(tag)
    case .feliCa(let tag): self = tag.lite != nil ? .feliCaLite(tag) : .feliCa(tag)
    case .other(let tag) where tag.technology == .jewel: self = .topaz(tag)
    case .iso7816(let card):
      if card.miFareClassic != nil { self.init(miFare: tag) } else { self = .smartCard(card) }
    case .other(let tag): self = .other(tag)
    }
  }

  /// Creates a value only for MIFARE and NTAG, and for smart cards with MIFARE Classic sectors.
  init?(miFare tag: DetectedTag) {
    let side: (any MiFareTag)? =
      switch tag {
      case .miFare(let tag): tag
      // A smart card can have these sectors in addition to its applications.
      case .iso7816(let card): card.miFareClassic
      default: nil
      }
    guard let tag = side else { return nil }
    if let commands = tag.classic {
      self = .classic(commands, tag)
    } else if let commands = tag.ultralight {
      self = .ultralight(commands, tag)
    } else {
      return nil
    }
  }

  var imageKind: TagImage.Kind {
    switch self {
    case .classic: .classic
    case .ultralight: .type2
    case .vicinity: .iso15693
    case .feliCaLite: .feliCaLite
    case .feliCa: .feliCa
    case .topaz: .topaz
    case .desfire: .desfire
    case .smartCard: .smartCard
    case .other(let tag): OtherReading(tag).kind
    case .plus: .iso14443a
    }
  }

  /// Returns the error of a restoration to a tag that Core NFC does not support and whose memory is not written.
  static func notWritable(_ target: Target) -> NFCError {
    switch target {
    case .barcode:
      NFCError(.readOnly, "the content of an NFC Barcode was made with it, and cannot be written")
    case .iClass:
      NFCError(.wrongTag, "the blocks of an iCLASS card cannot be written without its keys")
    case .iso14443b2ct:
      NFCError(.wrongTag, "no public document says how an ASK CTx ticket is written")
    case .iso14443bPrime, .iso14443b, .iso14443a, .feliCa, .iso15693, .jewel, .iso14443b2sr:
      NFCError(.wrongTag, "this tag has no memory that can be written")
    }
  }

  typealias Content = TagBackup
  typealias Extent = TagBackup.Extent

  /// Reads the whole memory.
  ///
  /// - Parameter password: the tag's password, which is proved first.
  func read(
    _ keys: TagKeys, password: [UInt8]?, _ extent: Extent = .memory
  ) async throws -> Content {
    var content = try await readAll(keys, password: password, extent)
    content.image.removeInventedValues(of: detected.identifier)
    return content
  }

  private func readAll(
    _ keys: TagKeys, password: [UInt8]?, _ extent: Extent
  ) async throws -> Content {
    try await prove(keys, password)
    switch self {
    case .classic(let commands, let tag): return try await Self.read(commands, tag, keys)
    case .ultralight(let commands, let tag):
      return try await Self.read(commands, tag, keys, password, extent)
    case .vicinity(let tag): return try await VicinityReading(tag).read(extent)
    case .feliCaLite(let tag): return try await FeliCaReading(tag).readLite(extent)
    case .feliCa(let tag): return try await FeliCaReading(tag).readServices()
    case .topaz(let tag): return try await TopazMemory(tag).read()
    case .desfire(let tag): return try await DESFireReading(tag).read()
    case .smartCard(let tag):
      do {
        // The selection of a file ends the rights that a password gives (ST25TA data sheets, 3.3), and only the
        // calls for a message present it again.
        return try await SmartCardReading(tag).read()
      } catch let error as NFCError where error.code == .wrongTag && extent == .everything {
        return Content(image: TagImage(identityOf: tag), missing: error.reason)
      }
    case .other(let tag): return try await OtherReading(tag).read()
    case .plus(let tag):
      var image = TagImage(.iso14443a)
      image.setIdentity(tag)
      return Content(image: image, missing: "its blocks need AES keys")
    }
  }

  /// Authenticates with a password, and refuses secrets that the tag does not have. The keys of a MIFARE Classic and
  /// those of an Ultralight or NTAG are used when it is read.
  private func prove(_ keys: TagKeys, _ password: [UInt8]?) async throws {
    switch self {
    case .ultralight: return
    case .classic: break
    default: try keys.checkAbsence(for: detected.kindName)
    }
    try await detected.authenticate(password)
  }

  private var detected: DetectedTag {
    switch self {
    case .classic(_, let tag), .ultralight(_, let tag), .desfire(let tag), .plus(let tag):
      .miFare(tag)
    case .vicinity(let tag): .iso15693(tag)
    case .feliCaLite(let tag), .feliCa(let tag): .feliCa(tag)
    case .smartCard(let tag): .iso7816(tag)
    case .topaz(let tag), .other(let tag): .other(tag)
    }
  }

  /// Returns descriptions of a smart card's applications whose data an image does not have, because reading it requires a
  /// key, or is personal: one exchange for each known application.
  func unsavedApplications() async throws -> [String] {
    guard case .smartCard(let card) = self else { return [] }
    return try await KnownApplication.all(on: card).filter { $0.aid != .ndef }
      .map { "the data of the \($0.name)" }
  }

  private static func read(
    _ commands: MiFareClassicCommands, _ tag: any MiFareTag, _ keys: TagKeys
  ) async throws -> Content {
    let dump = try await commands.dump(keys: try keys.classic, findsBothKeys: true)
    var image = TagImage(
      .classic,
      memory: .init(
        unitSize: MiFareClassicGeometry.blockSize,
        unitCount: dump.bytes.count / MiFareClassicGeometry.blockSize))
    for sector in dump.sectors {
      let first = dump.geometry.blocks(ofSector: sector.sector).lowerBound
      for (index, block) in sector.blocks.enumerated() {
        let offset = (first + index) * MiFareClassicGeometry.blockSize
        guard let block else { continue }
        guard index == sector.blocks.count - 1 else {
          image.memory.set(block, at: offset)
          continue
        }
        // The keys are replaced by zeros.
        let keyLength = MiFareClassicKey.size
        image.memory.set(Array(block[keyLength..<block.count - keyLength]), at: offset + keyLength)
      }
      let trailer =
        dump.geometry.trailer(ofSector: sector.sector) * MiFareClassicGeometry.blockSize
      if let key = sector.keyA { image.memory.set(key.bytes, at: trailer) }
      if let key = sector.keyB {
        image.memory.set(
          key.bytes, at: trailer + MiFareClassicGeometry.blockSize - MiFareClassicKey.size)
      }
    }
    image.setIdentity(tag)
    return Content(image: image, missing: dump.missing)
  }

  private static func read(
    _ commands: UltralightCommands, _ tag: any MiFareTag, _ keys: TagKeys, _ password: [UInt8]?,
    _ extent: Extent
  ) async throws -> Content {
    let key = try keys.ultralight(try await tag.product(), password: password)
    var content: Content
    do {
      content = try await Self.read(commands, key)
    } catch let error as NFCError where error.code == .unsupported && error.cause == nil {
      try await commands.open(with: key)
      content = try await UnknownPages.read(commands)
    }
    var image = content.image
    image.setIdentity(tag)
    if extent == .everything {
      // A refusal ends an authentication, so the memory is read first.
      image.version = try await Self.answer { try await commands.version() }
      if image.version != nil {
        image.signature = try await Self.answer { try await commands.readSignature() }
      }
      for number in image.counterNumbers {
        image.counters[number] = try await Self.answer {
          TagImage.Counter(value: UInt32(try await commands.readCounter(number)))
        }
        guard image.counterNumbers.count > 1, image.counters[number] != nil else { continue }
        image.counters[number]?.tearing =
          try await Self.answer {
            try await tag.sendMiFareCommand([Self.checkTearingEvent, UInt8(number)]).first
          } ?? nil
      }
    }
    image.removeHiddenSecrets()
    content.image = image
    return content
  }

  private static func read(
    _ commands: UltralightCommands, _ key: UltralightKey?
  ) async throws -> Content {
    let dump = try await commands.dump(with: key)
    let pageSize = 4
    let pageCount = dump.bytes.count / pageSize
    // The key of an Ultralight C cannot be read.
    let chip = Type2Chip(dump.product)
    let hasKeyAfter = chip?.hasUnreadableKey ?? false
    var image = TagImage(
      .type2,
      memory: .init(
        unitSize: pageSize, unitCount: hasKeyAfter ? chip?.pageCount ?? pageCount : pageCount))
    image.memory.set(
      Array(dump.bytes.prefix((dump.firstProtectedPage ?? pageCount) * pageSize)), at: 0)
    return Content(image: image, missing: dump.missing)
  }

  /// CHECK_TEARING_EVENT of an Ultralight EV1 (MF0ULx1 data sheet, 10.9). The NTAG21x do not support it.
  private static let checkTearingEvent: UInt8 = 0x3E

  /// Returns the chip's answer, or `nil` if the chip does not support the command or refuses it. What was lost between
  /// host and reader is not an answer.
  static func answer<Answer>(_ ask: () async throws -> Answer) async throws -> Answer? {
    do {
      return try await ask()
    } catch let error as NFCError
      where error.group == .refusal || error.code == .unsupported
      || error.code == .tagResponseError && !error.isReaderFailure
    {
      return nil
    }
  }
}

extension NFCError {
  fileprivate var isReaderFailure: Bool {
    if case .driver(let failure) = cause { failure.meaning == .readerFailure } else { false }
  }
}

extension TagImage {
  /// Creates an image of a card of which only the identity is known.
  init(identityOf card: any ISO7816Tag) {
    self.init(card.protocolInfo == nil ? .iso14443a : .iso14443b)
    setIdentity(card)
  }

  mutating func setIdentity(_ card: any ISO7816Tag) {
    uid = card.identifier
    // A PC/SC reader does not report these.
    if let reported = card.atqa, reported.count == 2 { atqa = reported }
    sak = card.sak
    // The ATS begins with its length, which includes the length byte itself (ISO/IEC 14443-4, 5.2.2).
    if let reported = card.ats, !reported.isEmpty {
      ats = [UInt8(clamping: reported.count + 1)] + reported
    }
    applicationData = card.applicationData
    protocolInfo = card.protocolInfo
  }

  mutating func setIdentity(_ tag: any MiFareTag) {
    uid = tag.identifier
    if tag.atqa.count == 2 { atqa = tag.atqa }
    sak = tag.sak
    // The ATS begins with its length, which includes the length byte itself (ISO/IEC 14443-4, 5.2.2).
    if !tag.ats.isEmpty { ats = [UInt8(clamping: tag.ats.count + 1)] + tag.ats }
  }
}

extension UltralightCommands {
  /// Reads all pages.
  package func dump(with key: UltralightKey?) async throws -> UltralightDump {
    if key?.password == nil { try await open(with: key) }
    return try await dump(password: key?.password)
  }
}

extension MiFareClassicDump {
  /// A description of the sectors that were not read, or `nil` if all were read.
  var missing: String? {
    var groups: [(failure: MiFareClassicSectorDump.Failure, sectors: [Int])] = []
    for sector in sectors {
      guard let failure = sector.failure else { continue }
      if let index = groups.firstIndex(where: { $0.failure == failure }) {
        groups[index].sectors.append(sector.sector)
      } else {
        groups.append((failure, [sector.sector]))
      }
    }
    guard !groups.isEmpty else { return nil }
    return groups.map { group in
      let plural = group.sectors.count > 1 ? "s" : ""
      return "sector\(plural) \(NumberList.text(group.sectors)): \(group.failure)"
    }.joined(separator: "; ")
  }
}

extension UltralightDump {
  var missing: String? {
    guard let first = firstProtectedPage else { return nil }
    // Of the Ultralight AES, Proxmark3 reads no page after those of the keys (`MAX_UL_AES`), Unleashed Firmware four.
    let isContent = areas.contains {
      $0.pages.upperBound >= first && $0.use != .reserved && $0.use != .secret
    }
    return isContent ? "the pages from \(first) on are protected" : nil
  }
}
