/// A way in which commands reach a tag through a reader that does not send all commands unchanged,
/// and what it supports.
public struct CommandPath: Hashable, Sendable {
  /// A capability of a path. Other requests throw ``NFCError/Code/unsupported``.
  ///
  /// More may be added: a `switch` needs an `@unknown default`.
  @nonexhaustive
  public enum Capability: String, Hashable, Sendable, CaseIterable {
    /// Any command of the tag, unchanged.
    case rawCommands
    /// APDUs of ISO/IEC 7816-4.
    case apdus
    /// Reading and writing single blocks or pages.
    case readAndWrite
    /// Information about the tag: system information, version.
    case information
    /// Several blocks or pages at once: READ MULTIPLE BLOCKS, FAST_READ.
    case multipleBlocks
    /// Locking of blocks, AFI and DSFID.
    case locks
    /// The keys of MIFARE Classic; the reader runs the cipher.
    case classicKeys
    /// Only the identifier: UID, IDm.
    case identifier
  }

  /// The name for people, for instance `transparent session`.
  public var name: String
  /// The capabilities by technology. Technologies that are missing do not use this path.
  public var capabilities: [TagTechnology: Set<Capability>]
  /// Other facts about it, in one clause; empty if there are none.
  public var note: String

  /// Creates a path with these capabilities.
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
