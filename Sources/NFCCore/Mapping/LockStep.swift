/// A change by which a tag becomes read-only; see ``NDEFTag/readOnlyPlan()``.
struct LockStep: Hashable, Sendable {
  /// The kind of change.
  enum Change: Hashable, Sendable {
    /// These bytes are written; lock bits among them can never be cleared.
    case bytes(before: [UInt8], after: [UInt8])
    /// The access rights are changed: bytes 6 to 9 of a MIFARE Classic sector trailer, the two bytes of a
    /// DESFire file.
    case accessRights(before: [UInt8], after: [UInt8])
    /// The block is locked, and its content stays.
    case lock
  }

  /// The place of the change on the tag.
  let place: NFCError.Place
  /// The change.
  let change: Change
  /// Whether many tags of this kind refuse the change. It then comes first, so that nothing has been changed.
  let mayBeRefused: Bool

  init(_ place: NFCError.Place, _ change: Change, mayBeRefused: Bool = false) {
    self.place = place
    self.change = change
    self.mayBeRefused = mayBeRefused
  }
}
