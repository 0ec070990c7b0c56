extension Target {
  /// A type A tag below ISO/IEC 14443-4 falls back to IDLE or HALT after it has refused a command
  /// (ISO/IEC 14443-3, 6.4.4; NTAG21x data sheet, 8.4).
  var stopsRespondingAfterRefusal: Bool {
    if case .iso14443a(let target) = self { return !target.supportsISO14443Part4 }
    return false
  }

  /// Whether waking the tag would lose state that a program has built up in it without noticing: a
  /// selected application, a secure channel.
  var losesStateOnSelect: Bool {
    switch self {
    case .iso14443a(let target): target.supportsISO14443Part4
    case .iso14443b: true
    default: false
    }
  }
}
