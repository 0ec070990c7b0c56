import NFCCore

/// What stands at the beginning of a chip that is formatted for NDEF (NFC Forum Type 5 Tag 1.0,
/// 4.3).
struct Type5Content: Hashable, Sendable {
  let container: Type5CapabilityContainer
  private let areaSize: Int

  private static let messageType: UInt8 = 0x03
  private static let terminator: UInt8 = 0xFE
  private static let largestShortLength = 0xFE

  /// - Parameter memorySize: how many bytes container and area may take.
  init(
    memorySize: Int, isWide: Bool = false, features: Type5CapabilityContainer.Features
  ) {
    let short = (memorySize - 4) / 8
    let units = short > 0xFF ? (memorySize - 8) / 8 : short
    container = Type5CapabilityContainer(isWide: isWide, areaUnits: units, features: features)
    areaSize = units * 8
  }

  /// An empty message.
  var empty: [UInt8] { container.encoded + [Self.messageType, 0, Self.terminator] }

  var capacity: Int {
    areaSize - 2 <= Self.largestShortLength
      ? areaSize - 2 : max(Self.largestShortLength, areaSize - 4)
  }

  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  func holding(_ message: [UInt8]) throws(VirtualTagError) -> [UInt8] {
    guard message.count <= capacity else { throw .messageTooLarge(capacity: capacity) }
    let length: [UInt8] =
      message.count > Self.largestShortLength
      ? [0xFF, UInt8(message.count >> 8), UInt8(message.count & 0xFF)] : [UInt8(message.count)]
    let field = [Self.messageType] + length + message
    return container.encoded + field + (field.count < areaSize ? [Self.terminator] : [])
  }
}
