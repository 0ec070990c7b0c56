import SwiftNFCCore

/// The facts about a PC/SC reader that are derived from its name: it cannot be asked.
struct PCSCReaderModel {
  private let name: String

  init(name: String) { self.name = name.uppercased() }

  private func matchesAny(of parts: [String]) -> Bool { parts.contains { name.contains($0) } }

  func isNamed(_ part: String) -> Bool { name.contains(part) }

  /// What a slot of a reader is for, as far as its name says.
  private enum SlotKind {
    case antenna
    case chipCard
  }

  /// What names call a slot. CL and CT are contactless and contact (libccid, readers/supported_readers.txt and
  /// the interfaces of the readers in that folder).
  private static let slotWords: [Substring: SlotKind] = [
    "PICC": .antenna, "NFC": .antenna, "RFID": .antenna, "CONTACTLESS": .antenna, "CL": .antenna,
    "CLESS": .antenna, "FELICA": .antenna, "SAM": .chipCard, "ICC": .chipCard,
    "CONTACT": .chipCard, "CONTACTED": .chipCard, "CT": .chipCard,
  ]

  /// The part of a name that is the slot's own: pcscd puts the name of the USB interface in brackets after the
  /// reader's, which may list all slots (`Identiv uTrust 4711 F CL + SAM Reader [uTrust 4711 F CL Reader]`).
  private var slotName: Substring {
    guard let end = name.lastIndex(of: "]"), let start = name[..<end].lastIndex(of: "[") else {
      return name[...]
    }
    return name[name.index(after: start)..<end]
  }

  /// The last word of the slot's name that says it; `nil` for a name without such a word, and for one that
  /// lists several slots.
  private var slotKind: SlotKind? {
    guard !slotName.contains("+"), !slotName.contains("&") else { return nil }
    return slotName.split { !$0.isLetter }.compactMap { Self.slotWords[$0] }.last
      ?? numberedSlotKind
  }

  /// What the number of a slot says, which pcscd puts at the end of a name. An ACR1281U has slots for a chip card and
  /// for a SAM before and after its antenna, all with one name (acshk/acsccid issue 4; its descriptor in libccid).
  private var numberedSlotKind: SlotKind? {
    guard matchesAny(of: ["ACR1281"]), let number = name.split(separator: " ").last else {
      return nil
    }
    return ["00": .chipCard, "01": .antenna, "02": .chipCard][number]
  }

  /// A slot for a chip card in the reader, or one for a SAM, not its antenna.
  var isChipCardSlot: Bool { slotKind == .chipCard }

  /// Whether the name says that the reader is contactless, by a word or by a model that is known here.
  private var isSurelyContactless: Bool {
    slotKind == .antenna || isSpringCard || matchesAny(of: Self.contactlessModels)
  }

  private static let contactlessModels = [
    "ACR122", "ACR125", "ACR155", "PASORI", "RC-S", "UTRUST 37", "CLOUD 37", "SCL01", "SCL37",
    "SDI01", "OMNIKEY 502", "5127 CK", "5427 CK", "UBISYS", "TWN4", "DE-620", "DE-ABCM",
  ]

  /// Returns the names of the slots that may have an antenna, those that surely do first. A computer's own reader
  /// for chip cards, and a security key, are PC/SC readers too, and usually nothing tells them apart.
  static func antennas(_ names: [String]) -> [String] {
    let models = names.map { (name: $0, model: PCSCReaderModel(name: $0)) }
      .filter { !$0.model.isChipCardSlot }
    return
      (models.filter(\.model.isSurelyContactless)
      + models.filter { !$0.model.isSurelyContactless }).map(\.name)
  }

  /// Readers whose chip does not support ISO/IEC 15693. All others are assumed to support it until
  /// a tag shows.
  private static let withoutVicinity =
    withPN532 + ["ACR1251", "ACR1252", "SCL3711", "SCL3712", "RC-S300", "RC-S380", "PASORI"]

  /// An ACR122U, and the names of its first version, which was sold as Tikitag and Touchatag (libnfc 1.8.0,
  /// `acr122_pcsc.c`). A contact reader, the ACR38, has the same name; no card in it looks like a tag.
  private static let withPN532 = ["ACR122", "ACR38U-CCID", "ACR 38U-CCID", "AET65"]

  var technologies: Set<TagTechnology> {
    // A Topaz is named at least (PC/SC part 3, supplemental document).
    var all: Set<TagTechnology> = [.iso14443a, .iso14443b, .feliCa, .iso15693, .jewel]
    if matchesAny(of: Self.withoutVicinity) { all.remove(.iso15693) }
    return all
  }

  /// Whether it has a PN532 that accepts its own commands.
  var hasDirectTransmit: Bool { matchesAny(of: Self.withPN532) }

  /// Whether it may accept FeliCa frames in `FF 00 00 00`. For an ACR1552U, transparent sessions are known.
  var hasFeliCaFrames: Bool {
    matchesAny(of: ["ACS "]) && !hasDirectTransmit && !matchesAny(of: ["ACR1552"])
  }

  /// How it may send frames of type A, in addition to a transparent session.
  var typeAPassThrough: TypeAPassThrough? {
    if isIdentiv || isSCM { return .identiv }
    return hasFeliCaFrames ? .acs : nil
  }

  /// Whether it may have APDUs for commands of FeliCa.
  var hasFeliCaCommands: Bool { isIdentiv || isSCM }

  /// Reads FeliCa blocks by `FF A4` and `FF B0`.
  var hasFeliCaBlocks: Bool { matchesAny(of: ["RC-S380", "PASORI"]) }

  /// Whether it accepts frames in `FF FE`.
  var hasEncapsulation: Bool { isSpringCard }

  /// Whether it reports an ISO/IEC 15693 tag's UID in its order on the air, least significant byte
  /// first; other readers are assumed to reverse it.
  var reversesUIDs: Bool { matchesAny(of: ["ACR1552", "ORCANTHUS"]) }

  /// Returns the maker's commands for ISO/IEC 15693 in addition to transparent sessions, best
  /// first; finally the commands that every reader has. They are never tried on another maker's
  /// reader, for which the same bytes have another meaning.
  ///
  /// - Parameter uid: the UID of the tag that the reader has found, most significant byte first.
  func vicinityDialects(uid: [UInt8]) -> [any VicinityDialect] {
    let blockSize = ISO15693Chip(uid: uid)?.geometry?.blockSize
    func storageCard(_ addressing: StorageCardBlocks.Addressing?) -> StorageCardBlocks {
      StorageCardBlocks(uid: uid, addressing: addressing, blockSize: blockSize)
    }
    if isSpringCard {
      return [
        SpringCardEncapsulation(uid: uid), SpringCardCommands(uid: uid), storageCard(.number),
      ]
    }
    if isIdentiv { return [MakerPassThrough.identiv(uid: uid), storageCard(nil)] }
    if matchesAny(of: ["ACR1552"]) { return [MakerPassThrough.acs(uid: uid), storageCard(nil)] }
    if matchesAny(of: ["OMNIKEY"]) {
      return [OmnikeyCommands(uid: uid, blockSize: blockSize), storageCard(.number)]
    }
    return [storageCard(matchesAny(of: ["UBISYS"]) ? .byteOffset : nil)]
  }

  private var isSpringCard: Bool { matchesAny(of: ["SPRINGCARD", "PROX'N'ROLL"]) }
  private var isIdentiv: Bool { matchesAny(of: ["IDENTIV", "UTRUST"]) }

  /// The slots for keys of MIFARE Classic that the reader may have, the likeliest first. All are in its volatile
  /// memory; a number that another reader uses for one that is not is never tried on that reader.
  var keySlots: [StorageCardCommands.KeySlots] {
    if matchesAny(of: ["ACR128"]) { return [.session] }
    if matchesAny(of: ["PROX-DU", "PROX-SU", "PROX DUAL", "PROX SU"]) {
      return [.afterNonvolatile]
    }
    if matchesAny(of: ["CHERRY"]) { return [.second, .common, .byKeyType, .session] }
    if isIdentiv || isSCM { return [.byKeyType, .common] }
    return [.common, .byKeyType, .session]
  }

  /// Identiv's readers before the maker changed its name.
  private var isSCM: Bool { matchesAny(of: ["SCM MICRO", "SCL01", "SCL37", "SDI01"]) }

  /// The ways in which commands can reach a tag on this reader, best first.
  var commandPaths: [CommandPath] {
    var paths: [CommandPath] = []
    if hasDirectTransmit {
      paths.append(.directTransmit)
    } else {
      paths.append(.transparentSession)
      paths += vicinityDialects(uid: []).map(\.commandPath).filter { $0 != .storageCard }
    }
    if typeAPassThrough != nil { paths.append(.typeAFrames) }
    if hasFeliCaFrames { paths.append(.feliCaFrames) }
    if hasFeliCaCommands { paths.append(.feliCaCommands) }
    if hasFeliCaBlocks { paths.append(.feliCaBlocks) }
    paths.append(.storageCard)
    let own = technologies
    return paths.map { path in
      var path = path
      path.capabilities = path.capabilities.filter { own.contains($0.key) }
      return path
    }.filter { !$0.capabilities.isEmpty }
  }
}

extension CommandPath {

  /// PC/SC part 3, supplement 2.02.
  static let transparentSession = CommandPath(
    name: "transparent session",
    capabilities: [
      .iso14443a: [.rawCommands, .readAndWrite, .information, .multipleBlocks, .locks],
      .feliCa: [.rawCommands, .readAndWrite],
      .iso15693: [.rawCommands, .readAndWrite, .information, .multipleBlocks, .locks],
    ], note: "where the reader has it, which shows with the first tag")
  /// `FF 00 00 00` of an ACR122U.
  static let directTransmit = CommandPath(
    name: "direct transmit",
    capabilities: [
      .iso14443a: [.rawCommands, .readAndWrite, .information, .multipleBlocks, .locks],
      .feliCa: [.rawCommands, .readAndWrite],
    ], note: "a refusal's code is lost")
  /// `FF FE` of SpringCard's readers.
  static let encapsulation = CommandPath(
    name: "encapsulated frames",
    capabilities: [
      .iso14443a: [.rawCommands, .readAndWrite, .information, .multipleBlocks, .locks],
      .feliCa: [.rawCommands, .readAndWrite],
      .iso15693: [.rawCommands, .readAndWrite, .information, .multipleBlocks, .locks],
    ], note: "one tag at a time")
  /// `FF EF` of Identiv's readers, `FF 00 00 00` of ACS's without a PN532.
  static let typeAFrames = CommandPath(
    name: "type A frames",
    capabilities: [
      .iso14443a: [.rawCommands, .readAndWrite, .information, .multipleBlocks, .locks]
    ], note: "Ultralight and NTAG only")
  /// `FF FB`, `FF FC`, `FF F6`.
  static let makerPassThrough = CommandPath(
    name: "maker's pass-through",
    capabilities: [.iso15693: [.readAndWrite, .information, .multipleBlocks, .locks]],
    note: "no request flags, no error codes, one tag at a time")
  /// `FF 30` of HID's OMNIKEY readers.
  static let omnikey = CommandPath(
    name: "OMNIKEY commands",
    capabilities: [.iso15693: [.readAndWrite, .information, .locks]],
    note: "no request flags, no error codes, no custom commands, one tag at a time")
  /// PC/SC part 3, 3.2.2.1.
  static let storageCard = CommandPath(
    name: "storage card",
    capabilities: [
      .iso14443a: [.apdus, .readAndWrite, .classicKeys], .iso14443b: [.apdus],
      .feliCa: [.identifier], .iso15693: [.readAndWrite],
    ], note: "no native DESFire commands, but in APDUs")
  /// `FF 00 00 00` of ACS's readers without a PN532.
  static let feliCaFrames = CommandPath(
    name: "FeliCa frames", capabilities: [.feliCa: [.rawCommands, .readAndWrite]])
  /// `FF 42` to `FF 4A` of Identiv's readers.
  static let feliCaCommands = CommandPath(
    name: "FeliCa commands", capabilities: [.feliCa: [.readAndWrite]], note: "a few commands")
  /// `FF A4`, `FF B0` of a Sony RC-S380.
  static let feliCaBlocks = CommandPath(
    name: "FeliCa blocks", capabilities: [.feliCa: [.identifier]],
    note: "only Read Without Encryption")
  /// `FF CA`: PC/SC part 3, 3.2.2.1.3.
  static let getData = CommandPath(
    name: "get data",
    capabilities: [.iso14443a: [.identifier], .feliCa: [.identifier], .iso15693: [.identifier]])
}
