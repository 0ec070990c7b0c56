/// A way in which commands reach a tag through a reader that does not simply send what it is given,
/// and what does not get through.
public struct CommandPath: Hashable, Sendable {
  /// What gets through to a tag. What is not named is lost: asking for it throws `unsupported`.
  public enum Means: String, Hashable, Sendable, CaseIterable {
    /// Any command of the tag's own, as it is.
    case rawCommands = "raw commands"
    /// APDUs of ISO/IEC 7816-4.
    case apdus = "APDUs"
    /// Blocks or pages by number.
    case readAndWrite = "read and write"
    /// What the tag tells of itself: system information, version.
    case information
    /// Several blocks or pages at once: READ MULTIPLE BLOCKS, FAST_READ.
    case multipleBlocks = "several blocks at once"
    /// Locking of blocks, AFI and DSFID.
    case locks
    /// MIFARE Classic's keys; the reader runs the cipher.
    case classicKeys = "MIFARE Classic keys"
    /// Only the number: UID, IDm.
    case identifier
  }

  /// For people, for instance `transparent session`.
  public var name: String
  /// What gets through, by technology. A technology that is not named does not use this way.
  public var means: [TagTechnology: Set<Means>]
  /// What else is known of it, in one clause; empty if there is nothing.
  public var note: String

  /// A way of these capabilities.
  public init(name: String, means: [TagTechnology: Set<Means>], note: String = "") {
    self.name = name
    self.means = means
    self.note = note
  }
}

extension CommandPath: CustomStringConvertible {
  /// One line, for instance `storage card: iso15693 read and write`.
  public var description: String {
    let parts = TagTechnology.allCases.compactMap { technology in
      means[technology].map { means in
        let names = Means.allCases.filter(means.contains).map(\.rawValue)
        return "\(technology.rawValue) \(names.joined(separator: ", "))"
      }
    }
    return "\(name): " + (parts + [note].filter { !$0.isEmpty }).joined(separator: "; ")
  }
}
