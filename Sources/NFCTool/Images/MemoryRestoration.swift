import JSONText
import NFC
import TagImages

/// What will be done, or was done, with a sector, a page, a block or a file.
struct RestoredPart {
  /// What a file or block is in.
  struct Container {
    /// `application` or `service`.
    let kind: String
    let name: String
  }

  struct Omission {
    /// What is left out, and why.
    let text: String
    /// It was asked for, and cannot be had.
    let isFailure: Bool
    let isNotAskedFor: Bool
  }

  /// `nil` for what is in the memory itself.
  var container: Container?
  /// `sector`, `page`, `block` or `file`.
  let kind: String
  let number: Int
  /// What the number is called, if not by its digits.
  var label: String?
  /// The blocks that are written; of a page itself.
  var written: [Int]
  var omissions: [Omission]

  /// With the numbers of parts of one kind after it.
  var kindName: String { (container.map { "\($0.kind) \($0.name) " } ?? "") + kind }
  var numberName: String { label ?? String(number) }
  var name: String { "\(kindName) \(numberName)" }

  /// Each block or page that is written, before and after, as far as that is known.
  var changes: [TagImage.Change] = []

  /// Where in a file the bytes lie that are changed.
  var changedBytes: Range<Int>?

  /// Says what a file or block has, and what it will have, from the first byte that differs to the last.
  ///
  /// - Parameter isReplaced: what it has more than it will have goes away, too.
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

  /// Lines for people, before or after it was done.
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
      + omissions.map { "\(name): \(isDone ? "left" : "leave") out, \($0.text)" }
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

/// Writing a dump to a tag that was looked at.
protocol MemoryRestoration: Sendable {
  /// Only what something is to be done about.
  var plan: [RestoredPart] { get }
  /// Returns the same with each change before and after; keys and passwords are masked.
  ///
  /// - Parameters:
  ///   - now: the memory as it is.
  ///   - image: what is restored.
  func plan(from now: TagImage, to image: TagImage) -> [RestoredPart]
  /// Writes; gives what was done.
  func run() async throws -> [RestoredPart]
}

extension MemoryRestoration {
  func plan(from now: TagImage, to image: TagImage) -> [RestoredPart] {
    guard now.isComparable(with: image) else { return plan }
    let changes = now.comparison(with: image).changes
    return plan.map { part in
      var part = part
      part.changes = changes.filter { part.written.contains($0.number) }
      return part
    }
  }
}

/// To a MIFARE Classic.
struct ClassicRestoration: MemoryRestoration {
  private let commands: MiFareClassicCommands
  private let image: TagImage
  private let keys: [MiFareClassicKey]
  private let includesBlock0: Bool
  private let restorePlan: MiFareClassicRestorePlan

  private typealias Omission = MiFareClassicRestorePlan.Omission

  init(
    _ commands: MiFareClassicCommands, _ image: TagImage, keys: [MiFareClassicKey],
    locksForGood: Bool, includesBlock0: Bool
  ) async throws {
    self.commands = commands
    self.image = image
    // Those of the image are the card's, if it is the one that the image is of.
    self.keys = keys + image.classicKeys.compactMap { MiFareClassicKey($0) }
    self.includesBlock0 = includesBlock0
    restorePlan = try await commands.restorePlan(
      image.memory.bytes, known: image.memory.isKnown, keys: self.keys,
      locksForGood: locksForGood)
  }

  var plan: [RestoredPart] {
    commands.geometry.sectors.compactMap { sector in
      part(
        sector,
        restorePlan.writes.map(\.block).filter { commands.geometry.sector(ofBlock: $0) == sector },
        restorePlan.omissions.filter { $0.sector == sector })
    }
  }

  func run() async throws -> [RestoredPart] {
    let report = try await commands.restore(restorePlan)
    var parts = report.sectors.compactMap { part($0.sector, $0.written, $0.omissions) }
    let isBlock0Missing = restorePlan.omissions.contains { $0.reason == .manufacturerBlock }
    if includesBlock0, isBlock0Missing, try await writeBlock0() {
      parts.removeAll { $0.number == 0 }
      let sector = report.sectors.first { $0.sector == 0 }
      let rest = sector?.omissions.filter { $0.reason != .manufacturerBlock } ?? []
      if let part = part(0, [0] + (sector?.written ?? []), rest) { parts.insert(part, at: 0) }
    }
    return parts
  }

  /// Returns whether the card has taken block 0.
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

  private func part(_ sector: Int, _ written: [Int], _ omissions: [Omission]) -> RestoredPart? {
    guard !written.isEmpty || !omissions.isEmpty else { return nil }
    return RestoredPart(
      kind: "sector", number: sector, written: written,
      omissions: omissions.map { omission in
        let block = omission.block.map { "block \($0): " } ?? ""
        let isBlock0 = omission.reason == .manufacturerBlock
        return RestoredPart.Omission(
          text: block + omission.reason.description, isFailure: !isBlock0 || includesBlock0,
          isNotAskedFor: false)
      })
  }
}
