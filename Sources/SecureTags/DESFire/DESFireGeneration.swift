import SwiftNFCCore

/// A generation of the family. It decides how a program authenticates and how data is sent over the
/// air.
@nonexhaustive
public enum DESFireGeneration: String, Hashable, Sendable, CaseIterable, Comparable {
  /// MF3ICD40: DES only.
  case ev0 = "DESFire"
  /// MF3ICDx1: AES and three-key triple DES in addition.
  case ev1 = "DESFire EV1"
  /// MF3Dx2: its own secure messaging (EV2) in addition.
  case ev2 = "DESFire EV2"
  /// MF3Dx3: Secure Dynamic Messaging of files in addition; otherwise, a program uses it like an EV2.
  case ev3 = "DESFire EV3"
  /// DESFire Light and the NTAG 4xx DNA: EV2's secure messaging with AES only, fixed applications
  /// and files.
  case fixed = "DESFire Light or NTAG DNA"

  private var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }

  public static func < (left: Self, right: Self) -> Bool { left.order < right.order }

  /// Creates the generation of a product; `nil` for a product that is not known to belong to the
  /// family.
  init?(_ product: TagProduct?) {
    switch CardChip(product)?.generation {
    case .ev0: self = .ev0
    case .ev1: self = .ev1
    case .ev2: self = .ev2
    case .ev3: self = .ev3
    case .fixed: self = .fixed
    case nil: return nil
    }
  }

  var hasEV2Messaging: Bool { self >= .ev2 }
  /// Whether a file can have Secure Dynamic Messaging: one that was created for it (NXP AN12752), or the NDEF file of an
  /// NTAG 424 DNA.
  var hasDynamicFiles: Bool { self >= .ev3 }
  /// Whether existing records can be changed.
  var hasRecordUpdates: Bool { self >= .ev2 }
  /// Whether records are sent as AN12343 shows it for DESFire Light.
  var hasChainedRecords: Bool { self == .fixed }
  /// Whether ReadData and WriteData may leave the chaining to ISO/IEC 14443-4 (NXP AN12752).
  var hasChainedData: Bool { self >= .ev2 }
}
