/// A kind of vicinity chip: its memory, how that is formatted, and what it makes of the standard's
/// commands. Each chip's file adds its own.
public struct VicinityModel: Hashable, Sendable {
  /// As `nfc --virtual` takes it.
  public let name: String
  /// 8 bytes, most significant first.
  public let defaultUID: [UInt8]
  /// The number of blocks.
  public let blockCount: Int
  /// In bytes.
  public let blockSize: Int
  let content: Type5Content
  let profile: VicinityProfile

  /// - Parameters:
  ///   - reservedBlocks: how many at the end are not for NDEF.
  ///   - isWide: the capability container says that block numbers have two bytes.
  ///   - features: what else the container says.
  init(
    _ name: String, uid: [UInt8], blockCount: Int, blockSize: Int = 4, reservedBlocks: Int = 0,
    isWide: Bool = false, features: Type5Content.Features = [],
    profile: VicinityProfile
  ) {
    self.name = name
    defaultUID = uid
    self.blockCount = blockCount
    self.blockSize = blockSize
    content = Type5Content(
      memorySize: (blockCount - reservedBlocks) * blockSize, isWide: isWide, features: features)
    self.profile = profile
  }

  /// Returns a chip's memory with a capability container and an empty message, or all zero.
  func core(uid: [UInt8]?, formatted: Bool) -> VicinityCore {
    core(uid: uid, content: formatted ? content.empty : [])
  }

  /// Returns a chip's memory with a message.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  func core(uid: [UInt8]?, ndef: some TagMessage) throws(VirtualTagError) -> VicinityCore {
    core(uid: uid, content: try content.holding(ndef.encodedMessage))
  }

  private func core(uid: [UInt8]?, content: [UInt8]) -> VicinityCore {
    VicinityCore(
      uid: uid ?? defaultUID, blockCount: blockCount, blockSize: blockSize, content: content)
  }
}

/// A vicinity chip that has nothing but the standard's commands, each as its model has it.
public struct PlainVicinityChip: VirtualChip, VicinityChip {
  /// The kind of chip.
  public let model: VicinityModel
  var core: VicinityCore

  /// - Parameters:
  ///   - uid: 8 bytes, most significant first; `nil` for the model's own.
  ///   - formatted: with a capability container and an empty message; else all zero.
  public init(_ model: VicinityModel, uid: [UInt8]? = nil, formatted: Bool = true) {
    self.model = model
    core = model.core(uid: uid, formatted: formatted)
  }

  /// - Parameters:
  ///   - uid: 8 bytes, most significant first; `nil` for the model's own.
  ///   - ndef: the message, or its bytes.
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public init(_ model: VicinityModel, uid: [UInt8]? = nil, ndef: some TagMessage)
    throws(VirtualTagError)
  {
    self.model = model
    core = try model.core(uid: uid, ndef: ndef)
  }
}

extension VirtualTag {
  /// Returns a tag with a chip that has only the standard's commands.
  ///
  /// - Parameters:
  ///   - uid: 8 bytes, most significant first; `nil` for the model's own.
  ///   - formatted: with an empty NDEF message; else all zero.
  public static func vicinity(
    _ model: VicinityModel, uid: [UInt8]? = nil, formatted: Bool = true
  ) -> VirtualTag {
    VirtualTag(PlainVicinityChip(model, uid: uid, formatted: formatted))
  }

  /// Returns the same with an NDEF message.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func vicinity(
    _ model: VicinityModel, uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try PlainVicinityChip(model, uid: uid, ndef: ndef))
  }
}
