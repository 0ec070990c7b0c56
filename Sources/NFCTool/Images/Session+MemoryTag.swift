import NFC
import TagImages
import TagTools

extension Session {
  /// - Parameter onlyMiFare: whether tags of other families are not accepted.
  func selectMemoryTag(
    for use: TagUse, onlyMiFare: Bool
  ) async throws -> SelectedTag<DetectedTag> {
    onlyMiFare
      ? try await selectTag(
        "a MIFARE Classic, Ultralight or NTAG", polling: .miFare, for: use
      ) { $0.miFareCommands == nil ? nil : $0 }
      : try await selectTag(
        "a tag whose memory can be read", polling: .any, for: use
      ) { $0.imageKind == nil ? nil : $0 }
  }
}

/// The commands of a MIFARE or NTAG tag with a memory of sectors or pages.
enum MiFareMemoryCommands {
  case classic(MiFareClassicCommands)
  case ultralight(UltralightCommands, any MiFareTag)
}

extension DetectedTag {
  /// The commands for the memory of a MIFARE or NTAG tag, or of a smart card with sectors of a MIFARE Classic.
  var miFareCommands: MiFareMemoryCommands? {
    let side: (any MiFareTag)? =
      switch self {
      case .miFare(let tag): tag
      // A smart card can have these sectors in addition to its applications.
      case .iso7816(let card): card.miFareClassic
      default: nil
      }
    if let classic = side?.classic { return .classic(classic) }
    return side.flatMap { tag in tag.ultralight.map { .ultralight($0, tag) } }
  }

  /// Whether the tag's image does not contain a contiguous memory.
  var hasOnlyFiles: Bool {
    [TagImage.Kind.feliCa, .desfire, .smartCard].contains { $0 == imageKind }
  }

  /// Reads the tag's image with the keys and the password of the command line.
  ///
  /// - Throws: `TagSecretError` for a key or password that the tag cannot have.
  func readImage(
    _ keys: TagKeyOptions, password: [UInt8]?, _ extent: TagBackup.Extent = .memory
  ) async throws -> TagBackup {
    var backup = try await readImage(
      keys: try keys.found.keys(for: self), passwordBytes: password, extent: extent)
    if let missing = backup.missing {
      if backup.image.kind == .smartCard, password != nil {
        backup.missing = missing + ", with which nfc read --raw saves its message"
      } else if isClosedPlus {
        backup.missing = missing + ", with which nfc plus read reads them"
      }
    }
    return backup
  }

  /// Whether the tag is a MIFARE Plus, whose blocks need AES keys.
  private var isClosedPlus: Bool {
    if case .miFare(let card) = self { card.family == .plus && card.classic == nil } else { false }
  }

  /// Whether a part of the tag can never be read. A comparison ignores that part.
  var isNeverRead: Bool {
    if case .other(let tag) = self { tag.technology != .jewel } else { isClosedPlus }
  }
}

extension TagImage {
  /// Whether only the identity is known.
  var isIdentity: Bool { kind == .iso14443a || kind == .iso14443b }
}
