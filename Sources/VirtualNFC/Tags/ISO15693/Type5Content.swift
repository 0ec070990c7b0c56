import NFCCore

/// What stands at the beginning of a chip that is formatted for NDEF (NFC Forum Type 5 Tag 1.0,
/// 4.3).
struct Type5Content: Hashable, Sendable {
  let container: Type5CapabilityContainer
  private let areaSize: Int

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
  var empty: [UInt8] { container.encoded + MessageTLV.empty }

  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  func holding(_ message: [UInt8]) throws(VirtualTagError) -> [UInt8] {
    container.encoded + (try MessageTLV.bytes(message, room: areaSize))
  }
}
