import SwiftNFCCore

// What gets through to a tag, and how much of it at once.
extension PCSCDriver {
  /// A short command with 255 bytes and Le, and 256 bytes with their status word (ISO/IEC 7816-3,
  /// 12.1).
  static let longestAPDU = 261
  static let longestAnswer = 258
  /// A command with 65 535 bytes and Le in extended form, and 65 536 bytes with their status word.
  private static let longestExtendedAPDU = 4 + 3 + 65_535 + 2
  private static let longestExtendedAnswer = 65_538
  private static let mostShortData = 256

  /// Returns whether commands to the card may have extended length fields: if the reader's driver says so. The card is
  /// not asked.
  func hasExtendedLengths(_ path: CardPath) -> Bool {
    guard case .apdus = path, let size = try? service.maximumCommandData() else { return false }
    return size > Self.mostShortData
  }

  /// READ and WRITE of 16 bytes, with a check of two.
  private static let longestStorageCommand = 20
  private static let longestStorageAnswer = 18

  /// LEN is one byte (JIS X 6319-4).
  private static let longestFeliCaFrame = 255

  package func capabilities(for target: Target) -> ReaderCapabilities {
    var capabilities = capabilities
    (capabilities.maximumCommandLength, capabilities.maximumResponseLength) =
      switch session?.path {
      case .apdus where session?.hasExtendedLengths == true:
        (Self.longestExtendedAPDU, Self.longestExtendedAnswer)
      case .apdus, .identifierOnly, nil: (Self.longestAPDU, Self.longestAnswer)
      case .transparent:
        (TransparentSession.maximumCommandLength, TransparentSession.maximumResponseLength)
      case .encapsulated:
        (Encapsulation.maximumCommandLength, Encapsulation.maximumResponseLength)
      case .vicinity(let dialect):
        (dialect.maximumCommandLength, dialect.maximumResponseLength)
      case .direct:
        (DirectTransmit.maximumCommandLength, DirectTransmit.maximumResponseLength)
      case .passedThrough:
        (TypeAPassThrough.maximumCommandLength, TypeAPassThrough.maximumResponseLength)
      case .feliCaFrames: (FeliCaTransmit.maximumLength, FeliCaTransmit.maximumLength)
      case .feliCaCommands: (FeliCaCommands.maximumLength, FeliCaCommands.maximumLength)
      case .feliCaBlocks: (Self.longestFeliCaFrame, Self.longestFeliCaFrame)
      case .pages: (Self.longestStorageCommand, Self.longestStorageAnswer)
      // The shortest of the ways that frames may take.
      case .classic:
        (TransparentSession.maximumCommandLength, TransparentSession.maximumResponseLength)
      }
    if let path = session?.path { capabilities.commandPaths = [Self.commandPath(of: path)] }
    return capabilities
  }

  private static func commandPath(of path: CardPath) -> CommandPath {
    switch path {
    case .transparent: .transparentSession
    case .encapsulated: .encapsulation
    case .direct: .directTransmit
    case .passedThrough: .typeAFrames
    case .vicinity(let dialect): dialect.commandPath
    case .apdus, .pages, .classic: .storageCard
    case .feliCaFrames: .feliCaFrames
    case .feliCaCommands: .feliCaCommands
    case .feliCaBlocks: .feliCaBlocks
    case .identifierOnly: .getData
    }
  }
}
