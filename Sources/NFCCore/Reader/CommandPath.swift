/// A way in which commands reach a tag through a reader that does not simply send what it is given, and what
/// does not get through.
public struct CommandPath: Hashable, Sendable {
  /// What this way supports. Asking for anything else throws ``NFCError/Code/unsupported``.
  public enum Capability: String, Hashable, Sendable, CaseIterable {
    /// Any command of the tag's own, as it is.
    case rawCommands
    /// APDUs of ISO/IEC 7816-4.
    case apdus
    /// Blocks or pages by number.
    case readAndWrite
    /// What the tag reports of itself: system information, version.
    case information
    /// Several blocks or pages at once: READ MULTIPLE BLOCKS, FAST_READ.
    case multipleBlocks
    /// Locking of blocks, AFI and DSFID.
    case locks
    /// MIFARE Classic's keys; the reader runs the cipher.
    case classicKeys
    /// Only the number: UID, IDm.
    case identifier
  }

  /// For people, for instance `transparent session`.
  public var name: String
  /// What this way supports, by technology. A technology that is not named does not use it.
  public var capabilities: [TagTechnology: Set<Capability>]
  /// What else is known of it, in one clause; empty if there is nothing.
  public var note: String

  /// A way of these capabilities.
  public init(name: String, capabilities: [TagTechnology: Set<Capability>], note: String = "") {
    self.name = name
    self.capabilities = capabilities
    self.note = note
  }
}

extension CommandPath: CustomStringConvertible {
  /// One line, for instance `storage card: iso15693 read and write`.
  public var description: String {
    let parts = TagTechnology.allCases.compactMap { technology in
      capabilities[technology].map { own in
        let names = Capability.allCases.filter(own.contains).map(\.description)
        return "\(technology.rawValue) \(names.joined(separator: ", "))"
      }
    }
    return "\(name): " + (parts + [note].filter { !$0.isEmpty }).joined(separator: "; ")
  }
}

extension CommandPath.Capability: CustomStringConvertible {
  /// For people, for instance `several blocks at once`.
  public var description: String {
    switch self {
    case .rawCommands: "raw commands"
    case .apdus: "APDUs"
    case .readAndWrite: "read and write"
    case .information: "information"
    case .multipleBlocks: "several blocks at once"
    case .locks: "locks"
    case .classicKeys: "MIFARE Classic keys"
    case .identifier: "identifier"
    }
  }
}
