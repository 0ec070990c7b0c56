/// An irreversible change on a chip: a bit that no command clears again, or a count that cannot be
/// reversed.
///
/// A ``VirtualTag`` records each change with the frame that caused it; see
/// ``VirtualTag/irreversibleChanges``.
public struct IrreversibleChange: Hashable, Sendable {
  /// The kind of change. More may be added.
  @nonexhaustive
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Bits that make pages or blocks read-only, and those that freeze such bits: the lock bytes of an
    /// Ultralight, an NTAG or a Topaz.
    case lockBits
    /// Bits that can be used once: page 3 of an Ultralight or NTAG, which holds the capability container there,
    /// and the last bytes of a Topaz's block E.
    case oneTimeBits
    /// A block of an ISO 15693 or SRIX chip that was locked.
    case blockLock
    /// The AFI (place 0) or the DSFID (place 1) of an ISO 15693 tag that was locked.
    case identifierLock
    /// Settings that were frozen: CFGLCK of an NTAG21x, REG_LOCK of an NTAG I²C, EAS, page protection and
    /// passwords of an ICODE.
    case configurationLock
    /// Permissions that were removed in the memory configuration of a FeliCa Lite.
    case memoryConfiguration
    /// A sector trailer of a MIFARE Classic whose access bits no key can change any more.
    case accessBits
    /// A right on a MIFARE DESFire, or the access condition of a type 4 tag, that nobody can
    /// restore.
    case accessRights
    /// A counter that was increased, or a register that can only decrease.
    case counter
    /// A chip that no longer accepts any password, because too many were wrong.
    case lockout
    /// A chip that was permanently disabled.
    case destruction
  }

  /// What was changed permanently.
  public var kind: Kind
  /// The page, block, sector or counter, counted from 0; ``kind`` determines which.
  public var place: Int
  /// The bits that were set, with the first byte of the place in the lowest bits; the new value of
  /// a counter.
  public var bits: UInt64

  /// Creates a change at a place.
  public init(_ kind: Kind, place: Int, bits: UInt64 = 1) {
    self.kind = kind
    self.place = place
    self.bits = bits
  }
}

extension IrreversibleChange: CustomStringConvertible {
  /// A text for people, for instance `lockBits 2: F0`.
  public var description: String { "\(kind.rawValue) \(place): \(String(bits, radix: 16))" }
}

/// The irreversible state of a chip at one moment. The difference between two such states is what
/// was changed irreversibly in between.
public struct IrreversibleState: Hashable, Sendable {
  private struct Feature: Hashable, Sendable {
    let kind: IrreversibleChange.Kind
    let place: Int
  }

  private var features: [Feature: UInt64] = [:]

  /// Creates a state without irreversible changes.
  public init() {}

  /// Adds bits that are permanently set, or the value of a counter.
  public mutating func add(_ kind: IrreversibleChange.Kind, place: Int = 0, bits: UInt64 = 1) {
    guard bits != 0 else { return }
    features[Feature(kind: kind, place: place), default: 0] |= bits
  }

  /// Adds up to eight bytes of permanently set bits, the first byte lowest.
  mutating func add(_ kind: IrreversibleChange.Kind, place: Int, bytes: some Sequence<UInt8>) {
    var bits: UInt64 = 0
    var shift: UInt64 = 0
    for byte in bytes.prefix(8) {
      bits |= UInt64(byte) << shift
      shift += 8
    }
    add(kind, place: place, bits: bits)
  }

  /// Adds the irreversible state of a part of the chip, with an offset for its places.
  mutating func add(_ part: IrreversibleState, placeOffset: Int = 0) {
    for (feature, bits) in part.features {
      add(feature.kind, place: feature.place + placeOffset, bits: bits)
    }
  }

  /// Returns the irreversible changes since an earlier moment, in the order of kinds and places.
  public func changes(since earlier: IrreversibleState) -> [IrreversibleChange] {
    guard features != earlier.features else { return [] }
    return features.compactMap { feature, value -> IrreversibleChange? in
      let old = earlier.features[feature] ?? 0
      guard feature.kind != .counter else {
        return value == old
          ? nil : IrreversibleChange(.counter, place: feature.place, bits: value)
      }
      let new = value & ~old
      return new == 0 ? nil : IrreversibleChange(feature.kind, place: feature.place, bits: new)
    }.sorted { ($0.kind.rawValue, $0.place) < ($1.kind.rawValue, $1.place) }
  }
}
