extension APDU {
  private typealias Instruction = Type4Command.Instruction

  /// The bits of the class byte other than the logical channel: without them, a command has no secure messaging, and
  /// nothing of it follows (ISO/IEC 7816-4, 5.4.1).
  private static let otherThanChannel: UInt8 = 0xFC
  /// P1 of SELECT by file identifier, of an EF of the current DF, and by name (ISO/IEC 7816-4, table 39). Other values
  /// begin at the current DF, which the first SELECT may have changed.
  private static let absoluteSelections: Set<UInt8> = [0x00, 0x02, 0x04]
  /// The bits of P2 of SELECT for another occurrence than the first (ISO/IEC 7816-4, table 40).
  private static let laterOccurrence: UInt8 = 0x03

  /// Whether the card is in the same state, and its answer is the same, if it receives the command twice: SELECT and
  /// READ BINARY, without secure messaging.
  var changesNothing: Bool {
    guard instructionClass & Self.otherThanChannel == 0 else { return false }
    switch instructionCode {
    case Instruction.readBinary, Instruction.readBinaryWithDataObject: return true
    case Instruction.select:
      return Self.absoluteSelections.contains(p1) && p2 & Self.laterOccurrence == 0
    default: return false
    }
  }

  /// Whether it is UPDATE BINARY.
  var updatesFile: Bool {
    [Instruction.updateBinary, Instruction.updateBinaryWithDataObject].contains(instructionCode)
  }
}
