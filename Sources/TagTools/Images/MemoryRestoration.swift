import NFC
import TagImages

/// A restoration of a dump to a tag whose content is known.
protocol MemoryRestoration: Sendable {
  /// The parts for which something is to be done.
  var plan: [RestoredPart] { get }
  /// What cannot be undone once it is written.
  var effects: [IrreversibleEffect] { get }
  /// The steps of ``plan``, as those of any change.
  var changeSteps: [ChangePlan.Step] { get }
  /// What the plan leaves out.
  var plannedOmissions: [ChangePlan.Omission] { get }
  /// What to do if the tag was removed before the end.
  var recovery: String { get }
  /// Returns the plan with each change before and after. Keys and passwords are masked.
  ///
  /// - Parameters:
  ///   - now: the current content of the memory.
  ///   - image: the image to restore.
  func plan(from now: TagImage, to image: TagImage) -> [RestoredPart]
  /// Writes the changes, and returns what was done.
  func run() async throws -> [RestoredPart]
  /// Writes the changes, and returns what was done as that of any change.
  func perform() async throws -> ChangePlan.Outcome
  /// Returns the parts that ``run()`` returns for an outcome.
  func parts(of outcome: ChangePlan.Outcome) -> [RestoredPart]
}

extension MemoryRestoration {
  var effects: [IrreversibleEffect] { [] }
  var plannedOmissions: [ChangePlan.Omission] { plan.flatMap(\.plannedOmissions) }
  var recovery: String { "restore the image again, which writes what is missing" }

  func perform() async throws -> ChangePlan.Outcome {
    let parts = try await run()
    let steps = changeSteps.filter { step in
      guard let place = step.place else { return true }
      return parts.contains { part in
        !part.written.isEmpty && (part.place == place || place.containers.contains(part.place))
      }
    }
    return ChangePlan.Outcome(steps: steps, omissions: parts.flatMap(\.plannedOmissions))
  }

  func parts(of outcome: ChangePlan.Outcome) -> [RestoredPart] {
    var omissions = outcome.omissions
    let planned = plan.map { part in
      guard let index = omissions.firstIndex(where: { $0.place == part.place }) else { return part }
      var part = part
      part.written = []
      part.omissions = [RestoredPart.Omission(omissions.remove(at: index).reason)]
      return part
    }
    return planned
      + omissions.map { omission in
        RestoredPart(
          kind: omission.place.kind.rawValue, number: omission.place.number ?? 0, written: [],
          omissions: [RestoredPart.Omission(omission.reason)])
      }
  }

  func plan(from now: TagImage, to image: TagImage) -> [RestoredPart] {
    addingChanges(to: plan, from: now, to: image)
  }

  fileprivate func addingChanges(
    to plan: [RestoredPart], from now: TagImage, to image: TagImage
  ) -> [RestoredPart] {
    guard now.isComparable(with: image) else { return plan }
    let changes = now.comparison(with: image).changes
    return plan.map { part in
      var part = part
      part.changes = changes.filter { part.written.contains($0.number) }
      return part
    }
  }
}

/// Restores an image to a MIFARE Classic.
struct ClassicRestoration: MemoryRestoration {
  private let commands: MiFareClassicCommands
  private let image: TagImage
  private let keys: [MiFareClassicKey]
  private let includesBlock0: Bool
  private let restorePlan: ChangePlan
  /// What is not in the file, by sector: the keys that it has zeros or marks for.
  private let unreadKeys: [Int: String]

  /// - Parameter keepsZeroKeys: whether a key of zeros is one that was not read, so that the card keeps its own.
  init(
    _ commands: MiFareClassicCommands, _ image: TagImage, keys: [MiFareClassicKey],
    locksPermanently: Bool, includesBlock0: Bool, keepsZeroKeys: Bool, uidLength: Int
  ) async throws {
    self.commands = commands
    // The keys of the image are those of the card, if the image was made from that card.
    self.keys = keys + image.classicKeys.compactMap { MiFareClassicKey($0) }
    var image = image
    if keepsZeroKeys { image.forgetUnreadKeys() }
    unreadKeys = image.unreadKeys
    self.image = image
    self.includesBlock0 = includesBlock0
    if includesBlock0 { try Self.checkBlock0(of: image, commands.geometry, uidLength: uidLength) }
    restorePlan = try await commands.restorePlan(
      image.memory.bytes, known: image.memory.isKnown, keys: self.keys,
      locksPermanently: locksPermanently)
  }

  /// Refuses a block 0 after which no reader would find the card: many cards that accept it answer with its check byte,
  /// SAK and ATQA as they are (Proxmark3, doc/magic_cards_notes.md).
  private static func checkBlock0(
    of image: TagImage, _ geometry: MiFareClassicGeometry, uidLength: Int
  ) throws {
    let cascadeAndISO14443Part4: UInt8 = 0x24
    let signOfStoredSAK: UInt8 = 0x80
    // The size of the UID, and the slots of anticollision (ISO/IEC 14443-3, 6.5.2).
    let (sizeBits, doubleSize, slots): (UInt8, UInt8, UInt8) = (0xC0, 0x40, 0x1F)
    guard let block = image.memory.known(0..<MiFareClassicGeometry.blockSize) else { return }
    let isDouble = uidLength == 7
    let sak = block[isDouble ? 7 : 5]
    let atqa = block[isDouble ? 8 : 6]
    let isRight =
      (isDouble || block.prefix(5).reduce(0, ^) == 0)
      && sak & cascadeAndISO14443Part4 == 0
      && MiFareClassicGeometry(sak: sak & ~signOfStoredSAK) == geometry
      && atqa & sizeBits == (isDouble ? doubleSize : 0) && atqa & slots != 0
    guard isRight else {
      throw NFCError(
        .malformedContent,
        "with block 0 \(block.hexadecimal), no reader would find the card again: check byte, SAK or ATQA "
          + "are not those of such a card", place: .block(0))
    }
  }

  var effects: [IrreversibleEffect] { restorePlan.effects }

  var plan: [RestoredPart] {
    parts(restorePlan.changedPlaces.compactMap(\.number).sorted(), restorePlan.omissions)
  }

  /// The image is the one without keys that were not read.
  func plan(from now: TagImage, to _: TagImage) -> [RestoredPart] {
    addingChanges(to: plan, from: now, to: image)
  }

  /// Block 0, if it differs and was requested.
  private var block0Step: ChangePlan.Step? {
    guard includesBlock0, restorePlan.omissions.contains(where: { $0.reason == .neverWritten })
    else { return nil }
    return .write(
      ChangePlan.Place(.block, 0, in: .sector(0)), nil,
      Array(image.memory.bytes.prefix(MiFareClassicGeometry.blockSize)))
  }

  var changeSteps: [ChangePlan.Step] {
    restorePlan.steps + (block0Step.map { [$0] } ?? [])
  }

  var plannedOmissions: [ChangePlan.Omission] {
    (block0Step == nil
      ? restorePlan.omissions : restorePlan.omissions.filter { $0.reason != .neverWritten })
      + unreadKeyOmissions
  }

  private var unreadKeyOmissions: [ChangePlan.Omission] {
    unreadKeys.sorted { $0.key < $1.key }.map { sector, keys in
      ChangePlan.Omission(.sector(sector), Self.reason(unread: keys))
    }
  }

  var recovery: String { restorePlan.recovery }

  func run() async throws -> [RestoredPart] { parts(of: try await perform()) }

  func perform() async throws -> ChangePlan.Outcome {
    // What cannot be undone is in the plan only if it was requested.
    let done = try await commands.perform(restorePlan, accepting: Set(restorePlan.effects))
    let omissions = done.omissions + unreadKeyOmissions
    guard let block0Step, omissions.contains(where: { $0.reason == .neverWritten }),
      try await writeBlock0()
    else { return ChangePlan.Outcome(steps: done.steps, omissions: omissions) }
    return ChangePlan.Outcome(
      steps: done.steps + [block0Step],
      omissions: omissions.filter { $0.reason != .neverWritten })
  }

  func parts(of outcome: ChangePlan.Outcome) -> [RestoredPart] {
    let written = outcome.changedPlaces.compactMap(\.number)
    return parts(
      written.filter { $0 == 0 } + written.filter { $0 != 0 },
      outcome.omissions.filter { if case .kept = $0.reason { false } else { true } })
  }

  private func parts(
    _ written: [Int], _ omissions: [ChangePlan.Omission]
  ) -> [RestoredPart] {
    commands.geometry.sectors.compactMap { sector in
      part(
        sector, written.filter { commands.geometry.sector(ofBlock: $0) == sector },
        omissions.filter { ($0.place.containers.last ?? $0.place).number == sector })
    }
  }

  /// Returns whether the card has accepted block 0.
  private func writeBlock0() async throws -> Bool {
    let sector = try await commands.readSector(0, keys: keys, findsBothKeys: true)
    for (type, key) in [(MiFareClassicKeyType.b, sector.keyB), (.a, sector.keyA)] {
      guard let key else { continue }
      do {
        try await commands.authenticate(block: 0, with: key, as: type)
        try await commands.writeBlock(
          0, Array(image.memory.bytes.prefix(MiFareClassicGeometry.blockSize)))
        return true
      } catch let error as NFCError
        where [.tagRefused, .authenticationFailed].contains(error.code)
      {
        continue
      }
    }
    return false
  }

  private func part(
    _ sector: Int, _ written: [Int], _ omissions: [ChangePlan.Omission]
  ) -> RestoredPart? {
    let unread = unreadKeys[sector].map { RestoredPart.Omission(Self.reason(unread: $0)) }
    guard !written.isEmpty || !omissions.isEmpty || unread != nil else { return nil }
    return RestoredPart(
      kind: "sector", number: sector, written: written,
      omissions: [unread].compactMap(\.self)
        + omissions.map { omission in
          RestoredPart.Omission(
            block: omission.place.kind == .block ? omission.place.name : nil, omission.reason,
            isFailure: omission.reason != .neverWritten || includesBlock0, isNotRequested: false)
        })
  }

  /// - Parameter keys: the keys with their verb.
  private static func reason(unread keys: String) -> ChangePlan.Omission.Reason {
    .kept("\(keys) not in the file, the card's stays")
  }
}
