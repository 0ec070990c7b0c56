/// A model of a vicinity chip: its memory, the format of the memory, and the supported standard commands.
/// Each chip's file adds its own.
public struct VicinityModel: Hashable, Sendable {
  /// The name for `nfc --virtual`.
  public let name: String
  /// The default UID, 8 bytes, most significant first.
  public let defaultUID: [UInt8]
  /// The number of blocks.
  public let blockCount: Int
  /// The size of a block in bytes.
  public let blockSize: Int
  let content: Type5Content
  let profile: VicinityProfile

  /// - Parameters:
  ///   - reservedBlocks: the number of blocks at the end that are not for NDEF.
  ///   - isWide: whether the capability container indicates block numbers of two bytes.
  ///   - features: the feature flags of the container.
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

/// A vicinity chip that supports only the standard's commands, each as described by its model.
public struct PlainVicinityChip: VirtualChip, VicinityChip {
  /// The kind of chip.
  public let model: VicinityModel
  var core: VicinityCore

  /// - Parameters:
  ///   - uid: 8 bytes, most significant first; `nil` for the model's own.
  ///   - formatted: whether it has a capability container and an empty message; if not, it is all zero.
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
  /// Returns a tag with a chip that supports only the standard's commands.
  ///
  /// - Parameters:
  ///   - uid: 8 bytes, most significant first; `nil` for the model's own.
  ///   - formatted: whether it has an empty NDEF message; if not, it is all zero.
  public static func vicinity(
    _ model: VicinityModel, uid: [UInt8]? = nil, formatted: Bool = true
  ) -> VirtualTag {
    VirtualTag(PlainVicinityChip(model, uid: uid, formatted: formatted))
  }

  /// Returns a tag with a chip that supports only the standard's commands, and with an NDEF message.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func vicinity(
    _ model: VicinityModel, uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try PlainVicinityChip(model, uid: uid, ndef: ndef))
  }
}
