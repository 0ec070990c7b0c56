import SwiftNFCJSONText
import NFC
import TagImages

/// The planned or completed changes of a sector, a page, a block or a file.
struct RestoredPart {
  /// The application or service that contains a file or block.
  struct Container {
    /// `application` or `service`.
    let kind: String
    let name: String
  }

  struct Omission {
    /// A description of what is not written, and the reason.
    let text: String
    /// Whether it was requested and is not possible.
    let isFailure: Bool
    let isNotRequested: Bool
    /// What would have it written, if anything would.
    var remedy: Remedy?
  }

  /// What would have a part written that was left out.
  enum Remedy: Hashable, Sendable {
    /// A key that was not given.
    case key
    /// An option by which it is asked for.
    case option(String)
  }

  /// The container, or `nil` for a part of the memory itself.
  var container: Container?
  /// `sector`, `page`, `block` or `file`.
  let kind: String
  let number: Int
  /// The name of the number, if it is not written in digits.
  var label: String?
  /// The blocks that are written; for a page, the page itself.
  var written: [Int]
  var omissions: [Omission]

  /// The kind, in a form to which the numbers of parts can be added.
  var kindName: String { (container.map { "\($0.kind) \($0.name) " } ?? "") + kind }
  var numberName: String { label ?? String(number) }
  var name: String { "\(kindName) \(numberName)" }

  /// The known content of each block or page that is written, before and after.
  var changes: [TagImage.Change] = []

  /// The range of the bytes in a file that are changed.
  var changedBytes: Range<Int>?

  /// Sets the content of a file or block before and after, from the first byte that differs to the last.
  ///
  /// - Parameter isReplaced: whether existing bytes after the new ones are removed.
  mutating func setChange(from known: [UInt8]?, to new: [UInt8], isReplaced: Bool) {
    let old = known ?? []
    let all = 0..<(isReplaced ? max(old.count, new.count) : new.count)
    let isOther = { (index: Int) in
      old.dropFirst(index).first != new.dropFirst(index).first
    }
    guard let first = all.first(where: isOther), let last = all.last(where: isOther) else { return }
    if kind == "file" { changedBytes = first..<last + 1 }
    let range = changedBytes ?? new.indices
    func text(_ bytes: [UInt8]) -> String {
      let part = bytes[range.clamped(to: bytes.indices)]
      return part.isEmpty ? "nothing" : Array(part).hexadecimal
    }
    changes = [
      TagImage.Change(
        number: number, before: known == nil ? "unknown" : text(old), after: text(new))
    ]
  }

  /// Returns lines for people about the plan or about the result.
  func lines(isDone: Bool) -> [String] {
    let verb = isDone ? "wrote" : "write"
    let blocks = written.map(String.init).joined(separator: ", ")
    let plural = written.count > 1 ? "s" : ""
    let writing =
      written == [number] && kind != "sector" ? verb : "\(verb) block\(plural) \(blocks)"
    let changes = changes.map { change in
      let bytes =
        changedBytes.map { " from byte \($0.lowerBound)" } ?? ""
      let place = kind == "sector" ? "block \(change.number)" : name + bytes
      return "\(place): \(change.before) → \(change.after)"
    }
    return (changes.isEmpty ? (written.isEmpty ? [] : ["\(name): \(writing)"]) : changes)
      + omissions.map { omission in
        var option = ""
        if case .option(let name)? = omission.remedy { option = "; \(name) writes it all the same" }
        return "\(name): \(isDone ? "left" : "leave") out, \(omission.text)\(option)"
      }
  }

  func json(isDone: Bool) -> JSONValue {
    .members([
      container?.kind ?? "": container.map { .string($0.name) },
      kind: label.map { .string($0) } ?? .integer(number),
      isDone ? "written" : "write": .array(written.map { .integer($0) }),
      "changes": changes.isEmpty
        ? nil
        : .array(
          changes.map { change in
            .members([
              kind == "sector" ? "block" : kind: label.map { .string($0) }
                ?? .integer(change.number),
              "offset": changedBytes.map { .integer($0.lowerBound) },
              "before": .string(change.before), "after": .string(change.after),
            ])
          }),
      "leftOut": omissions.isEmpty ? nil : .array(omissions.map { .string($0.text) }),
    ])
  }
}

/// A restoration of a dump to a tag whose content is known.
protocol MemoryRestoration: Sendable {
  /// The parts for which something is to be done.
  var plan: [RestoredPart] { get }
  /// What cannot be undone once it is written.
  var effects: [IrreversibleEffect] { get }
  /// Returns the plan with each change before and after. Keys and passwords are masked.
  ///
  /// - Parameters:
  ///   - now: the current content of the memory.
  ///   - image: the image to restore.
  func plan(from now: TagImage, to image: TagImage) -> [RestoredPart]
  /// Writes the changes, and returns what was done.
  func run() async throws -> [RestoredPart]
}

extension MemoryRestoration {
  var effects: [IrreversibleEffect] { [] }

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

  func run() async throws -> [RestoredPart] {
    // What cannot be undone is in the plan only if an option of the command named it.
    let done = try await commands.perform(restorePlan, accepting: Set(restorePlan.effects))
    let written = done.changedPlaces.compactMap(\.number)
    var omissions = done.omissions
    let isBlock0Missing = omissions.contains { $0.reason == .neverWritten }
    guard includesBlock0, isBlock0Missing, try await writeBlock0() else {
      return parts(written, omissions)
    }
    omissions.removeAll { $0.reason == .neverWritten }
    return parts([0] + written, omissions)
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
    let unread = unreadKeys[sector].map { keys in
      RestoredPart.Omission(
        text: "\(keys) not in the file, the card's stays", isFailure: false, isNotRequested: true)
    }
    guard !written.isEmpty || !omissions.isEmpty || unread != nil else { return nil }
    return RestoredPart(
      kind: "sector", number: sector, written: written,
      omissions: [unread].compactMap(\.self)
        + omissions.map { omission in
          let block = omission.place.kind == .block ? "block \(omission.place.name): " : ""
          let isBlock0 = omission.reason == .neverWritten
          let text =
            isBlock0 ? "the manufacturer's block cannot be written" : omission.reason.description
          return RestoredPart.Omission(
            text: block + text, isFailure: !isBlock0 || includesBlock0,
            isNotRequested: false, remedy: Self.remedy(omission.reason))
        })
  }

  private static func remedy(_ reason: ChangePlan.Omission.Reason) -> RestoredPart.Remedy? {
    switch reason {
    case .noKey, .notWritable, .refused: .key
    case .locksPermanently: .option("--include-locks")
    default: nil
    }
  }
}
