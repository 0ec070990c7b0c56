/// What a change leaves behind that no later change can undo, on a tag of any kind.
///
/// ``ChangeableTag/perform(_:accepting:)`` changes nothing unless each effect of the plan was accepted by name. More may
/// be added: a `switch` needs an `@unknown default`.
@nonexhaustive
public enum IrreversibleEffect: String, Hashable, Sendable, CaseIterable {
  /// Pages, blocks or files can never be written again: lock bits, one-time bits, access rights that nobody can change.
  case locksMemory
  /// The settings of the protection can never be changed again.
  case locksConfiguration
  /// What requires one of two passwords will require both.
  case requiresBothPasswords
  /// A limit of wrong passwords or keys, after which the tag is closed permanently, even to the right one.
  case mayClosePermanently
  /// A password is overwritten that the tag does not show.
  case forgetsPassword
  /// A key is overwritten that the tag does not show.
  case forgetsKey
  /// New keys, with their privileges, can never be changed.
  case locksKeys
  /// The identifier, the card key and the options of a FeliCa Lite can be written only with a message authentication
  /// code, or never.
  case closesSystemBlocks
  /// Keys can never be used again.
  case disablesKeys
  /// Passwords can never be read, and keys never be used in their place.
  case hidesPasswords
  /// The protection of the memory can never be lifted.
  case enforcesProtection
  /// Blocks require a proof of the key before they are read.
  case restrictsReading
  /// Blocks require a proof of the key before they are written.
  case restrictsWriting
  /// Blocks can be written only with a message authentication code.
  case requiresCodes
  /// A security level, to which no card returns.
  case leavesSecurityLevel
  /// Readers that know only the keys of MIFARE Classic can no longer use the card.
  case closesClassicKeys
  /// The chip uses LRP in place of AES.
  case usesLRP
  /// The card shows another UID each time; it returns its own to whoever authenticates.
  case showsRandomUID
  /// The card can never be formatted.
  case disablesFormatting
  /// Applications, files, keys or their content are deleted.
  case deletesContent
  /// The setting of article surveillance can never be changed.
  case locksSurveillance
  /// The tag never answers again.
  case destroysTag

  /// - Throws: ``NFCError/Code/invalidParameter`` with the effects that were not accepted.
  package static func check(
    _ planned: some Sequence<IrreversibleEffect>, acceptedBy accepted: Set<IrreversibleEffect>
  ) throws {
    let others = planned.filter { !accepted.contains($0) }
    guard others.isEmpty else {
      throw NFCError(
        .invalidParameter,
        "this cannot be undone and was not accepted: "
          + others.map(\.description).joined(separator: ", "))
    }
  }
}

extension IrreversibleEffect: CustomStringConvertible {
  /// One sentence for people, without a full stop.
  public var description: String {
    switch self {
    case .locksMemory: "what is locked can never be written again"
    case .locksConfiguration: "the protection can never be changed or removed"
    case .requiresBothPasswords: "both passwords are permanently required"
    case .mayClosePermanently:
      "after too many wrong passwords or keys the tag no longer accepts any"
    case .forgetsPassword: "the password that the tag has now is overwritten"
    case .forgetsKey: "the key that the tag has now is overwritten"
    case .locksKeys: "the keys and their privileges can never be read or changed"
    case .closesSystemBlocks: "ID, card key, its version and the options are fixed"
    case .disablesKeys: "the other keys can never be used"
    case .hidesPasswords: "the passwords can never be read, and keys can never be used"
    case .enforcesProtection: "the protection of the memory can never be lifted"
    case .restrictsReading: "blocks can be read only after authentication"
    case .restrictsWriting: "blocks can be written only after authentication"
    case .requiresCodes: "blocks can be written only with a MAC"
    case .leavesSecurityLevel: "the card or its sectors permanently leave their security level"
    case .closesClassicKeys: "the keys of MIFARE Classic do not open the sectors any more"
    case .usesLRP: "the chip permanently uses LRP in place of AES, and no longer signs its link"
    case .showsRandomUID: "the card shows a random UID from then on"
    case .disablesFormatting: "the card can never be formatted again"
    case .deletesContent: "what is deleted cannot be recovered"
    case .locksSurveillance: "article surveillance can never be turned on or off again"
    case .destroysTag: "the tag never answers again"
    }
  }
}
