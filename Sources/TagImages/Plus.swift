extension TagImage {
  /// What is known of a MIFARE Plus in addition to its identity. Blocks and keys are those of security level 3; in
  /// level 1, the card is a MIFARE Classic.
  public struct MIFAREPlus: Hashable, Sendable {
    /// The members of the family.
    @nonexhaustive
    public enum Model: String, Hashable, Sendable, CaseIterable {
      /// A member that is not known.
      case plus
      /// MIFARE Plus X.
      case x
      /// MIFARE Plus S.
      case s
      /// MIFARE Plus SE.
      case se
      /// MIFARE Plus EV1.
      case ev1
      /// MIFARE Plus EV2.
      case ev2
    }

    /// The size of a block and of a key in bytes.
    public static let blockSize = 16

    /// The member of the family; `nil` if it is not known.
    public var model: Model?
    /// The security level, 0 to 3; `nil` if it is not known.
    public var securityLevel: Int?
    /// The blocks. Its size is that of the card's memory; empty if that is not known.
    public var memory = Memory(unitSize: blockSize, unitCount: 0)
    /// The known AES keys by their addresses: 4000 hexadecimal for key A of sector 0, 4001 for its key B, 9000 for the
    /// card's master key.
    public var keys: [UInt16: [UInt8]] = [:]
    /// The known configuration blocks by their addresses, from B000 hexadecimal on.
    public var configuration: [UInt16: [UInt8]] = [:]

    /// Creates a card of which nothing is known.
    public init() {}

    /// Whether any block, key or configuration is known.
    public var hasContent: Bool {
      memory.isKnown.contains(true) || !keys.isEmpty || !configuration.isEmpty
    }

    /// The number of sectors.
    public var sectorCount: Int { ClassicLayout.sectorCount(blockCount: memory.unitCount) }
  }
}

// Keys are not printed.
extension TagImage.MIFAREPlus: CustomStringConvertible, CustomReflectable {
  /// The model, the security level, and how much is known.
  public var description: String {
    let level = securityLevel.map { "level \($0)" } ?? "unknown level"
    return "MIFARE Plus \(model?.rawValue ?? "unknown"), \(level), \(memory), \(keys.count) keys, "
      + "\(configuration.count) configuration blocks"
  }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
