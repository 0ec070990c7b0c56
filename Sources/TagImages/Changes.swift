extension TagImage {
  /// A page or block that differs between two images.
  public struct Change: Hashable, Sendable {
    /// The number of the page or block; for FeliCa Lite, the block's number on the card.
    public let number: Int
    /// The old content in hexadecimal; `??` for a byte that is unknown, `**` for one of a key or
    /// password, `##` for one of a key or password that changes.
    public let before: String
    /// The new content, in the same form.
    public let after: String

    package init(number: Int, before: String, after: String) {
      self.number = number
      self.before = before
      self.after = after
    }
  }

  /// The result of comparing two images.
  public struct Comparison: Hashable, Sendable {
    /// The pages or blocks that differ, in order.
    public var changes: [Change] = []
    /// The numbers of pages or blocks that are unknown in one of the two.
    public var incomparable: [Int] = []
    /// The files that are unknown in one of the two, in words.
    public var incomparableFiles: [String] = []
    /// Differences outside the memory, with both values.
    public var others: [Other] = []

    /// A difference outside the memory, for instance in the signature.
    public struct Other: Hashable, Sendable {
      /// Its name, for people.
      public let name: String
      /// The old value, for people.
      public let before: String
      /// The new value, for people.
      public let after: String
    }

    /// Whether there is no difference. What is unknown in one of the two does not count.
    public var isEqual: Bool { changes.isEmpty && others.isEmpty }
  }

  /// Returns the number of a page or block as people and commands use it.
  package func number(ofUnit unit: Int) -> Int {
    kind == .feliCaLite && Self.feliCaLiteBlocks.indices.contains(unit)
      ? Int(Self.feliCaLiteBlocks[unit]) : unit
  }

  /// The pages or blocks to compare: those of a MIFARE Plus are not in ``memory``.
  private var comparedMemory: Memory { plus?.memory ?? memory }

  /// Returns whether two images are of tags that can be compared: of one kind and size. A MIFARE Plus of which no block
  /// is known can be compared with any other, and an Ultralight or NTAG with one of the same chip that has fewer pages.
  public func isComparable(with other: TagImage) -> Bool {
    let (count, otherCount) = (comparedMemory.bytes.count, other.comparedMemory.bytes.count)
    let isOfOneSize =
      count == otherCount || kind == .iso14443a && min(count, otherCount) == 0
      || kind == .type2 && type2Chip != nil && type2Chip == other.type2Chip
    return kind == other.kind && isOfOneSize
  }

  /// Compares memory, files and what the tag reports about itself with those of an image of the same kind and size. What
  /// is unknown in one of the two does not count as a difference.
  public func comparison(with other: TagImage) -> Comparison {
    var comparison = Comparison()
    let secrets = secrets + other.secrets
    let secretBytes = Set(secrets.flatMap { Array($0) })
    let size = max(comparedMemory.bytes.count, other.comparedMemory.bytes.count)
    let (memory, after) = (comparedMemory.padded(to: size), other.comparedMemory.padded(to: size))
    for unit in 0..<memory.unitCount {
      let range = memory.range(ofUnit: unit).clamped(to: 0..<after.bytes.count)
      let isBoth = range.filter { memory.isKnown[$0] && after.isKnown[$0] }
      if isBoth.contains(where: { memory.bytes[$0] != after.bytes[$0] }) {
        // A key changes as a whole.
        let changed = secrets.filter { secret in
          secret.clamped(to: range).contains { memory.bytes[$0] != after.bytes[$0] }
        }
        comparison.changes.append(
          change(
            number(ofUnit: unit), from: memory, to: after, range, secretBytes,
            changed: Set(changed.flatMap { Array($0) })))
      } else if range.contains(where: { memory.isKnown[$0] != after.isKnown[$0] }) {
        comparison.incomparable.append(number(ofUnit: unit))
      }
    }
    compareOthers(with: other, &comparison)
    return comparison
  }

  private func change(
    _ number: Int, from memory: Memory, to after: Memory, _ range: Range<Int>, _ secrets: Set<Int>,
    changed: Set<Int>
  ) -> Change {
    func text(_ image: Memory, _ mark: String) -> String {
      range.map { index in
        guard image.isKnown[index] else { return "??" }
        guard secrets.contains(index) else { return Hexadecimal.text([image.bytes[index]]) }
        return changed.contains(index) ? mark : "**"
      }.joined()
    }
    return Change(number: number, before: text(memory, "**"), after: text(after, "##"))
  }

  private func compareOthers(with other: TagImage, _ comparison: inout Comparison) {
    for fact in Self.comparedFacts {
      guard let before = fact.value(self), let after = fact.value(other), before != after else {
        continue
      }
      comparison.others.append(.init(name: fact.name, before: before, after: after))
    }
    compareFiles(with: other, &comparison)
  }

  /// What a tag reports in addition to its memory, for people.
  private static let comparedFacts: [ComparedFact] =
    [
      ComparedFact("version") { text($0.version) },
      ComparedFact("signature") { text($0.signature) },
      ComparedFact("ATS") { text($0.ats) }, ComparedFact("PMm") { text($0.feliCa?.pmm) },
      ComparedFact("application data") { text($0.applicationData) },
      ComparedFact("protocol information") { text($0.protocolInfo) },
      ComparedFact("ATR") { text($0.answerToReset) },
      ComparedFact("header ROM") { text($0.headerROM) },
      ComparedFact("system block") { text($0.systemBlock) },
      ComparedFact("DSFID") { text($0.vicinity?.dsfid) },
      ComparedFact("AFI") { text($0.vicinity?.afi) },
      ComparedFact("IC reference") { text($0.vicinity?.icReference) },
      ComparedFact("failed authentications") { $0.failedAuthentications.map { String($0) } },
    ] + (0..<3).flatMap(comparedFacts)

  private struct ComparedFact: Sendable {
    let name: String
    /// Returns the value, or `nil` if it is not known.
    let value: @Sendable (TagImage) -> String?

    init(_ name: String, _ value: @escaping @Sendable (TagImage) -> String?) {
      self.name = name
      self.value = value
    }
  }

  private static func comparedFacts(ofCounter index: Int) -> [ComparedFact] {
    [
      ComparedFact("counter \(index)") { image in
        counter(index, of: image).map { String($0.value) }
      },
      ComparedFact("tearing \(index)") { text(counter(index, of: $0)?.tearing) },
    ]
  }

  private static func counter(_ index: Int, of image: TagImage) -> Counter? {
    image.counters.indices.contains(index) ? image.counters[index] : nil
  }

  private static func text(_ bytes: [UInt8]?) -> String? { bytes.map { Hexadecimal.text($0) } }
  private static func text(_ byte: UInt8?) -> String? { byte.map { Hexadecimal.text([$0]) } }

  private func compareFiles(with other: TagImage, _ comparison: inout Comparison) {
    let (before, after) = (files(besides: other), other.files(besides: self))
    let unlisted = unlistedApplications.union(other.unlistedApplications)
    for name in Set(before.keys).union(after.keys).sorted(by: { $0.text < $1.text })
    where before[name] != after[name] {
      let isListed = name.application.map { !unlisted.contains($0) } ?? true
      switch (before[name], after[name]) {
      case (.unread?, _), (_, .unread?): comparison.incomparableFiles.append(name.text)
      case (nil, _) where !isListed, (_, nil) where !isListed:
        comparison.incomparableFiles.append(name.text)
      case (let old, let new):
        comparison.others.append(
          .init(name: name.text, before: old?.text ?? "none", after: new?.text ?? "none"))
      }
    }
  }

  private struct FileName: Hashable {
    /// The application of a DESFire card that contains the file.
    var application: [UInt8]?
    let text: String
  }

  private enum FileContent: Hashable {
    case bytes([UInt8])
    case unread

    var text: String? {
      if case .bytes(let bytes) = self { Hexadecimal.text(bytes) } else { nil }
    }

    init(_ data: [UInt8]?) { self = data.map { .bytes($0) } ?? .unread }
  }

  /// The applications of a DESFire card whose files are not known.
  private var unlistedApplications: Set<[UInt8]> {
    Set((desfire?.applications ?? []).filter { $0.files == nil }.map(\.identifier))
  }

  /// Returns the content of files and of blocks of services, by name.
  ///
  /// - Parameter other: the image to compare with. If one of them has several systems, their codes are in the names.
  private func files(besides other: TagImage) -> [FileName: FileContent] {
    var files: [FileName: FileContent] = [:]
    for application in desfire?.applications ?? [] {
      let name = Hexadecimal.text(application.identifier.reversed())
      for file in application.files ?? [] {
        let text = "application \(name) file \(file.number)"
        files[FileName(application: application.identifier, text: text)] = FileContent(file.data)
      }
    }
    for application in smartCard?.applications ?? [] {
      let place =
        application.name.isEmpty ? "" : "application \(Hexadecimal.text(application.name)) "
      for file in application.files {
        let name = FileName(text: "\(place)file \(Self.digits(file.identifier))")
        files[name] = FileContent(file.data)
      }
    }
    guard kind == .feliCa, let systems = feliCa?.systems else { return files }
    let others = other.feliCa?.systems ?? []
    let hasSeveral = max(systems.count, others.count) > 1
    for system in systems {
      // Older files for Flipper Zero have the first system, without its code.
      let code = system.code ?? others.first?.code ?? 0
      let place = hasSeveral ? "system \(Self.digits(code)) " : ""
      for block in system.blocks {
        let name = "\(place)service \(Self.digits(block.service)) block \(block.number)"
        files[FileName(text: name)] = .bytes(block.data)
      }
    }
    return files
  }

  private static func digits(_ number: UInt16) -> String {
    Hexadecimal.text([UInt8(number >> 8), UInt8(number & 0xFF)])
  }
}
