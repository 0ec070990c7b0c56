import Testing
import VirtualNFC

@testable import SwiftNFCCore

/// A tag as it comes from the field: formatted by somebody else, half-locked, half-written, protected; and what each
/// procedure must come to on it.
///
/// What is expected follows from the standards and data sheets, which each list of rows names, not from what
/// the procedures do.
struct FieldTag: Sendable, CustomTestStringConvertible {
  /// What the message area is before anything is done.
  enum Content: Sendable, Equatable {
    /// A message, maybe none.
    case message([UInt8])
    /// A structure that breaks off or contradicts itself.
    case broken
    /// No NDEF structure.
    case unformatted
    /// It cannot be read without a secret.
    case closed
  }

  /// What becomes of a procedure.
  enum Outcome: Sendable, Equatable {
    case done
    /// Refused before anything is written.
    case refused(NFCError.Code)
  }

  /// One cell for each procedure that changes the tag.
  struct Cells: Sendable {
    /// A message as long as the capacity.
    var write: Outcome
    /// A short record after those that are there.
    var append: Outcome
    /// An empty message.
    var erase: Outcome
    /// Without wiping what is no NDEF.
    var format: Outcome
    /// With it.
    var wipe: Outcome
    var lock: Outcome
    /// A password; `nil` for a kind of tag that has none.
    var protect: Outcome?
  }

  let testDescription: String
  let content: Content
  /// The longest message that the standard has room for beside what else is there; `nil` for a tag that holds none.
  let capacity: Int?
  var cells: Cells
  /// What the status says; `nil` if it is an error.
  var access: NDEFStatus.Access?
  /// Runs of bytes beside the message that nothing but wiping may change.
  var kept: [[UInt8]] = []
  /// What locking, and what formatting, makes final.
  var lockKinds: Set<IrreversibleChange.Kind> = []
  var formatKinds: Set<IrreversibleChange.Kind> = []
  /// What the status says after a lock.
  var accessAfterLock = NDEFStatus.Access.readOnly
  /// What a lock cannot keep other readers from writing: the tag has nothing but a flag.
  var isLockedByFlagOnly = false
  let make: @Sendable () -> VirtualTag

  /// The cells that follow from the content, where nothing else stands in the way.
  init(
    _ name: String, _ content: Content, capacity: Int? = nil,
    _ make: @escaping @Sendable () -> VirtualTag
  ) {
    testDescription = name
    self.content = content
    self.capacity = capacity
    self.make = make
    switch content {
    case .message:
      cells = Cells(
        write: .done, append: .done, erase: .done, format: .done, wipe: .done, lock: .done)
      access = .readWrite
    case .broken:
      cells = Cells(
        write: .done, append: .refused(.malformedContent), erase: .done, format: .done,
        wipe: .done, lock: .refused(.malformedContent))
      access = nil
    case .unformatted:
      let refusal = Outcome.refused(.notNDEF)
      cells = Cells(
        write: refusal, append: refusal, erase: refusal, format: .refused(.unsupported),
        wipe: .done, lock: refusal)
      access = .notSupported
    case .closed:
      let refusal = Outcome.refused(.notAuthenticated)
      cells = Cells(
        write: refusal, append: refusal, erase: refusal, format: refusal, wipe: refusal,
        lock: refusal)
      access = nil
    }
  }
}

extension FieldTag {
  /// The same tag with other cells.
  func with(_ change: (inout FieldTag) -> Void) -> FieldTag {
    var tag = self
    change(&tag)
    return tag
  }

  /// Nothing writes it; only locking may go on.
  func readOnly(lock: Outcome = .done) -> FieldTag {
    with {
      let refusal = Outcome.refused(.readOnly)
      $0.cells.write = refusal
      $0.cells.append = refusal
      $0.cells.erase = refusal
      $0.cells.format = refusal
      $0.cells.wipe = refusal
      $0.cells.lock = lock
      $0.access = .readOnly
    }
  }

  func locking(_ outcome: Outcome) -> FieldTag { with { $0.cells.lock = outcome } }
  func protecting(_ outcome: Outcome?) -> FieldTag { with { $0.cells.protect = outcome } }
  func keeping(_ bytes: [UInt8]...) -> FieldTag { with { $0.kept = bytes } }
  func formatting(_ outcome: Outcome, wiping: Outcome? = nil) -> FieldTag {
    with {
      $0.cells.format = outcome
      $0.cells.wipe = wiping ?? outcome
    }
  }

  /// `https://a.be`, as one record.
  static let link: [UInt8] = [0xD1, 0x01, 0x05, 0x55, 0x04, 0x61, 0x2E, 0x62, 0x65]
  static let linkText = "D10105550461 2E6265"
  /// The same with its TLV.
  static let linkTLV = "0309 \(linkText)"
  /// A proprietary TLV.
  static let foreign: [UInt8] = [0xFD, 0x02, 0xAA, 0xBB]
  static let foreignTLV = "FD02AABB"

  /// A chip with other bytes at some addresses, as a programming machine puts them there.
  static func patched(_ tag: VirtualTag, _ patches: [Int: String]) -> VirtualTag {
    var memory = tag.memory
    for (address, text) in patches {
      let bytes = [UInt8](hexadecimal: text) ?? []
      memory.replaceSubrange(address..<address + bytes.count, with: bytes)
    }
    tag.memory = memory
    return tag
  }

  static let all = type1 + type2 + type3 + type4 + type5 + classic
}
