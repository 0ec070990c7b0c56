import VirtualNFC

/// A chip that answers GET_VERSION with the version of another chip, as clones do.
public struct FalseVersionChip<Chip: VirtualChip>: ForwardingChip {
  /// The command GET_VERSION (NTAG21x data sheet, 10.1).
  private static var getVersion: [UInt8] { [0x60] }

  public var chip: Chip
  private let version: [UInt8]

  public init(_ chip: Chip, version: [UInt8]) {
    self.chip = chip
    self.version = version
  }

  public mutating func receive(_ frame: RadioFrame) -> RadioFrame? {
    let answer = chip.receive(frame)
    // A chip that is not selected does not answer.
    guard answer != nil, frame.checkedPayload == Self.getVersion else { return answer }
    return .typeA(version)
  }
}
