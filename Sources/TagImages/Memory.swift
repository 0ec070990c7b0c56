extension TagImage {
  /// The memory of a tag in pages or blocks of one size, each byte known or unknown.
  public struct Memory: Hashable, Sendable {
    /// The number of bytes in a page or block.
    public let unitSize: Int
    /// More than any tag has.
    private static let longest = 1 << 24
    /// All bytes in sequence, zero where ``isKnown`` is false.
    public private(set) var bytes: [UInt8]
    /// Whether each byte is known.
    public private(set) var isKnown: [Bool]

    /// Creates a memory of which every byte is known.
    public init(unitSize: Int, bytes: [UInt8]) {
      self.unitSize = max(1, unitSize)
      self.bytes = bytes
      isKnown = Array(repeating: true, count: bytes.count)
    }

    /// Creates a memory of which only the size is known.
    ///
    /// - Precondition: The memory has at most 16 MiB.
    public init(unitSize: Int, unitCount: Int) {
      self.unitSize = max(1, unitSize)
      let (count, overflow) = self.unitSize.multipliedReportingOverflow(by: max(0, unitCount))
      precondition(!overflow && count <= Self.longest, "the memory of a tag is not that large")
      bytes = Array(repeating: 0, count: count)
      isKnown = Array(repeating: false, count: count)
    }

    /// The number of pages or blocks; the last may be shorter.
    public var unitCount: Int { bytes.count / unitSize + (bytes.count % unitSize == 0 ? 0 : 1) }
    /// Whether every byte is known.
    public var isComplete: Bool { !isKnown.contains(false) }
    /// Whether the memory has no bytes.
    public var isEmpty: Bool { bytes.isEmpty }

    /// Returns the bytes of a page or block; the range ends with the memory.
    public func range(ofUnit number: Int) -> Range<Int> {
      let first = number < unitCount ? max(0, number) * unitSize : bytes.count
      return first..<first + min(unitSize, bytes.count - first)
    }

    /// Returns the bytes of a page or block, `nil` for each unknown byte.
    public func unit(_ number: Int) -> [UInt8?] {
      range(ofUnit: number).map { isKnown[$0] ? bytes[$0] : nil }
    }

    /// Returns the bytes of a range that is inside the memory and completely known; otherwise
    /// `nil`.
    public func known(_ range: Range<Int>) -> [UInt8]? {
      guard range.lowerBound >= 0, range.upperBound <= bytes.count,
        isKnown[range].allSatisfy({ $0 })
      else { return nil }
      return Array(bytes[range])
    }

    /// Sets bytes; those beyond the end are ignored.
    public mutating func set(_ new: [UInt8], at offset: Int) {
      set(new.map { Optional($0) }, at: offset)
    }

    /// Sets bytes, `nil` for unknown ones; those beyond the end are ignored.
    public mutating func set(_ new: [UInt8?], at offset: Int) {
      guard offset < bytes.count else { return }
      // What is before the beginning is ignored, too.
      for (index, byte) in zip(offset..., new) where index >= 0 && index < bytes.count {
        bytes[index] = byte ?? 0
        isKnown[index] = byte != nil
      }
    }

    /// Makes bytes unknown.
    public mutating func markUnknown(_ range: Range<Int>) {
      for index in range.clamped(to: 0..<bytes.count) {
        bytes[index] = 0
        isKnown[index] = false
      }
    }

    /// Returns all bytes, with those of another memory in place of unknown ones, or zero if it has
    /// none.
    package func filled(from other: [UInt8]) -> [UInt8] {
      bytes.indices.map { isKnown[$0] ? bytes[$0] : other.indices.contains($0) ? other[$0] : 0 }
    }

    /// Returns the same bytes in pages or blocks of another size.
    package func regrouped(unitSize: Int) -> Memory {
      var memory = Memory(unitSize: unitSize, bytes: bytes)
      memory.isKnown = isKnown
      return memory
    }

    /// Returns a memory with unknown bytes at the end, up to a size.
    package func padded(to count: Int) -> Memory {
      guard count > bytes.count else { return self }
      var memory = self
      let missing = count - bytes.count
      memory.bytes += Array(repeating: 0, count: missing)
      memory.isKnown += Array(repeating: false, count: missing)
      return memory
    }

    /// Returns a memory of the first bytes.
    func prefix(_ count: Int) -> Memory {
      var memory = Memory(unitSize: unitSize, bytes: Array(bytes.prefix(count)))
      memory.isKnown = Array(isKnown.prefix(count))
      return memory
    }
  }
}

// The bytes may be keys and passwords.
extension TagImage.Memory: CustomStringConvertible, CustomReflectable {
  public var description: String { "\(bytes.count) bytes in units of \(unitSize)" }
  public var customMirror: Mirror {
    Mirror(self, children: ["unitSize": unitSize, "count": bytes.count])
  }
}
