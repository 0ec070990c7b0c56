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

  /// Returns whether two images are of tags that can be compared: of one kind and size.
  public func isComparable(with other: TagImage) -> Bool {
    kind == other.kind && memory.bytes.count == other.memory.bytes.count
  }

  /// Compares memory, signature and counters with those of an image of the same kind and size. What
  /// is unknown in one of the two does not count as a difference.
  public func comparison(with other: TagImage) -> Comparison {
    var comparison = Comparison()
    let secrets = Set((secrets + other.secrets).flatMap { Array($0) })
    for unit in 0..<memory.unitCount {
      let range = memory.range(ofUnit: unit).clamped(to: 0..<other.memory.bytes.count)
      let isBoth = range.filter { memory.isKnown[$0] && other.memory.isKnown[$0] }
      if isBoth.contains(where: { memory.bytes[$0] != other.memory.bytes[$0] }) {
        comparison.changes.append(change(to: other, unit, range, secrets))
      } else if range.contains(where: { memory.isKnown[$0] != other.memory.isKnown[$0] }) {
        comparison.incomparable.append(number(ofUnit: unit))
      }
    }
    compareOthers(with: other, &comparison)
    return comparison
  }

  private func change(
    to other: TagImage, _ unit: Int, _ range: Range<Int>, _ secrets: Set<Int>
  ) -> Change {
    // A key changes as a whole.
    let changed = Set(
      (self.secrets + other.secrets).filter { secret in
        secret.clamped(to: range).contains { memory.bytes[$0] != other.memory.bytes[$0] }
      }.flatMap { Array($0) })
    func text(_ image: Memory, _ mark: String) -> String {
      range.map { index in
        guard image.isKnown[index] else { return "??" }
        guard secrets.contains(index) else { return Hexadecimal.text([image.bytes[index]]) }
        return changed.contains(index) ? mark : "**"
      }.joined()
    }
    return Change(
      number: number(ofUnit: unit), before: text(memory, "**"), after: text(other.memory, "##"))
  }

  private func compareOthers(with other: TagImage, _ comparison: inout Comparison) {
    if let before = signature, let after = other.signature, before != after {
      comparison.others.append(
        .init(
          name: "signature", before: Hexadecimal.text(before), after: Hexadecimal.text(after)))
    }
    for (index, pair) in zip(counters, other.counters).enumerated() {
      if let before = pair.0, let after = pair.1, before.value != after.value {
        comparison.others.append(
          .init(name: "counter \(index)", before: "\(before.value)", after: "\(after.value)"))
      }
    }
    compareFiles(with: other, &comparison)
  }

  private func compareFiles(with other: TagImage, _ comparison: inout Comparison) {
    let (before, after) = (files, other.files)
    for name in Set(before.keys).union(after.keys).sorted() where before[name] != after[name] {
      switch (before[name], after[name]) {
      case (.unread?, _), (_, .unread?): comparison.incomparableFiles.append(name)
      case (let old, let new):
        comparison.others.append(
          .init(name: name, before: old?.text ?? "none", after: new?.text ?? "none"))
      }
    }
  }

  private enum FileContent: Hashable {
    case bytes([UInt8])
    case unread

    var text: String? {
      if case .bytes(let bytes) = self { Hexadecimal.text(bytes) } else { nil }
    }

    init(_ data: [UInt8]?) { self = data.map { .bytes($0) } ?? .unread }
  }

  /// The content of files and of blocks of services, by name.
  private var files: [String: FileContent] {
    var files: [String: FileContent] = [:]
    for application in desfire?.applications ?? [] {
      let name = Hexadecimal.text(application.identifier.reversed())
      for file in application.files ?? [] {
        files["application \(name) file \(file.number)"] = FileContent(file.data)
      }
    }
    for application in smartCard?.applications ?? [] {
      let place =
        application.name.isEmpty ? "" : "application \(Hexadecimal.text(application.name)) "
      for file in application.files {
        let identifier = Hexadecimal.text([
          UInt8(file.identifier >> 8), UInt8(file.identifier & 0xFF),
        ])
        files["\(place)file \(identifier)"] = FileContent(file.data)
      }
    }
    for system in kind == .feliCa ? feliCa?.systems ?? [] : [] {
      for block in system.blocks {
        let service = Hexadecimal.text([UInt8(block.service >> 8), UInt8(block.service & 0xFF)])
        files["service \(service) block \(block.number)"] = .bytes(block.data)
      }
    }
    return files
  }
}
