import NFC

/// What will be done, or was done, with a sector or a page.
struct RestoredPart {
  struct Omission {
    /// What is left out, and why.
    let text: String
    /// It was asked for, and cannot be had.
    let isFailure: Bool
    let isNotAskedFor: Bool
  }

  /// `sector`, `page` or `block`.
  let kind: String
  let number: Int
  /// The blocks that are written; of a page itself.
  let written: [Int]
  var omissions: [Omission]

  var name: String { "\(kind) \(number)" }

  /// Each block or page that is written, before and after, as far as that is known.
  var changes: [TagImage.Change] = []

  /// Lines for people, before or after it was done.
  func lines(isDone: Bool) -> [String] {
    let verb = isDone ? "wrote" : "write"
    let blocks = written.map(String.init).joined(separator: ", ")
    let plural = written.count > 1 ? "s" : ""
    let writing =
      written == [number] && kind != "sector" ? verb : "\(verb) block\(plural) \(blocks)"
    let unit = kind == "sector" ? "block" : kind
    let changes = changes.map { change in
      let texts = change.texts(isClassic: kind == "sector")
      return "\(unit) \(change.number): \(texts.before) → \(texts.after)"
    }
    return (changes.isEmpty ? (written.isEmpty ? [] : ["\(name): \(writing)"]) : changes)
      + omissions.map { "\(name): \(isDone ? "left" : "leave") out, \($0.text)" }
  }

  func json(isDone: Bool) -> JSON {
    .members([
      kind: .integer(number),
      isDone ? "written" : "write": .array(written.map { .integer($0) }),
      "changes": changes.isEmpty
        ? nil
        : .array(
          changes.map { change in
            let texts = change.texts(isClassic: kind == "sector")
            return .members([
              kind == "sector" ? "block" : kind: .integer(change.number),
              "before": .string(texts.before), "after": .string(texts.after),
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
  /// Writes; gives what was done.
  func run() async throws -> [RestoredPart]
}

extension MemoryRestoration {
  /// What is planned with each change before and after.
  ///
  /// - Parameters:
  ///   - now: the memory as it is.
  ///   - image: what is restored.
  func plan(from now: TagImage, to image: TagImage) -> [RestoredPart] {
    let changes = now.changes(to: image)
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
  private let image: [UInt8]
  private let keys: [MiFareClassicKey]
  private let includesBlock0: Bool
  private let restorePlan: MiFareClassicRestorePlan

  private typealias Omission = MiFareClassicRestorePlan.Omission

  init(
    _ commands: MiFareClassicCommands, _ image: [UInt8], keys: [MiFareClassicKey],
    locksForGood: Bool, includesBlock0: Bool
  ) async throws {
    self.commands = commands
    self.image = image
    self.keys = keys + Self.keys(in: image, commands.geometry)
    self.includesBlock0 = includesBlock0
    restorePlan = try await commands.restorePlan(
      image, keys: self.keys, locksForGood: locksForGood)
  }

  /// The keys in a dump: those of the card, if it is the one that the dump is of.
  private static func keys(
    in image: [UInt8], _ geometry: MiFareClassicGeometry
  ) -> [MiFareClassicKey] {
    guard image.count == geometry.memorySize else { return [] }
    return geometry.sectors.flatMap { sector -> [MiFareClassicKey] in
      let first = geometry.trailer(ofSector: sector) * MiFareClassicGeometry.blockSize
      let block = Array(image[first..<first + MiFareClassicGeometry.blockSize])
      guard let trailer = try? MiFareClassicSectorTrailer(block) else { return [] }
      return [trailer.keyA, trailer.keyB]
    }
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

  /// Whether the card has taken block 0.
  private func writeBlock0() async throws -> Bool {
    let sector = try await commands.readSector(0, keys: keys, findsBothKeys: true)
    for (type, key) in [(MiFareClassicKeyType.b, sector.keyB), (.a, sector.keyA)] {
      guard let key else { continue }
      do {
        try await commands.authenticate(block: 0, type, key: key.bytes)
        try await commands.writeBlock(0, Array(image.prefix(MiFareClassicGeometry.blockSize)))
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
