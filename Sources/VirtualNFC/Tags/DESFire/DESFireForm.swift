/// The form of the commands that a card accepts since its activation: native, or in APDUs. The first command
/// decides (ACS, ACR1281U reference manual, "How to access DESFIRE Tags": the others must be in the same form).
///
/// No public source says how a card answers a command in the other form. Here, it takes the bytes for what they
/// are in its own form: a native command of that code, or an APDU.
struct DESFireForm: Hashable, Sendable {
  private enum Value {
    case native, wrapped
  }

  private var value: Value?
  private static let wrappedClass: UInt8 = 0x90
  private static let interindustryClass: UInt8 = 0x00
  private static let illegalCommand: UInt8 = 0x1C

  /// Returns the answer to a command of the other form; `nil` for a command to perform.
  mutating func refusal(of command: [UInt8]) -> [UInt8]? {
    guard let first = command.first else { return nil }
    let own: Value =
      first == Self.wrappedClass || first == Self.interindustryClass ? .wrapped : .native
    guard let value else {
      value = own
      return nil
    }
    guard value != own else { return nil }
    return value == .native ? [Self.illegalCommand] : StatusWord.classNotSupported.bytes
  }

  /// Forgets the form: the card was deactivated.
  mutating func reset() { value = nil }
}
