/// Polling: JIS X 6319-4; FeliCa Card User's Manual, excerpted edition, 4.4.2.
struct FeliCaPolling: FeliCaCommand, Hashable {
  /// The system code; FF in either byte matches any value.
  var systemCode: UInt16
  var requestCode: FeliCaRequestCode
  var timeSlots: FeliCaTimeSlots

  var encoded: [UInt8] {
    [FeliCaCommandCode.polling] + systemCode.bigEndianBytes
      + [requestCode.rawValue, timeSlots.rawValue]
  }

  func answer(_ bytes: [UInt8]) throws -> FeliCaPollingAnswer {
    var body = try FeliCaAnswer.body(of: bytes, to: FeliCaCommandCode.polling, idm: [])
    let size = FeliCaAnswer.identifierSize
    guard body.count >= 2 * size else { throw FeliCaAnswer.tooShort }
    let idm = Array(body.prefix(size))
    body = body.dropFirst(size)
    return FeliCaPollingAnswer(
      idm: idm, pmm: Array(body.prefix(size)), requestData: Array(body.dropFirst(size)))
  }
}

/// The data that a card sends in addition to IDm and PMm.
public enum FeliCaRequestCode: UInt8, Hashable, Sendable {
  /// Nothing more.
  case noRequest = 0x00
  /// The system code, two bytes.
  case systemCode = 0x01
  /// The bit rates that the card supports, two bytes.
  case communicationPerformance = 0x02
}

/// The number of time slots from which cards choose theirs, so that several in the field can be
/// distinguished.
public enum FeliCaTimeSlots: UInt8, Hashable, Sendable {
  /// One slot: cards answer at once and may collide.
  case one = 0x00
  /// Two slots.
  case two = 0x01
  /// Four slots.
  case four = 0x03
  /// Eight slots.
  case eight = 0x07
  /// Sixteen slots.
  case sixteen = 0x0F
}

/// The answer of a card to Polling.
public struct FeliCaPollingAnswer: Hashable, Sendable {
  /// The IDm, eight bytes; that of the requested system.
  public var idm: [UInt8]
  /// The PMm, eight bytes.
  public var pmm: [UInt8]
  /// The data for the request code; empty if the card has not reported it.
  public var requestData: [UInt8]

  /// Creates an answer.
  public init(idm: [UInt8], pmm: [UInt8], requestData: [UInt8]) {
    self.idm = idm
    self.pmm = pmm
    self.requestData = requestData
  }

  /// Returns whether the answer is from a system of that card, and not from another card in the
  /// field.
  ///
  /// The first half byte of IDm is the system's number; the rest is the card's (FeliCa Card User's Manual,
  /// excerpted edition, 3.2.1).
  package func isSystem(ofCard card: [UInt8]) -> Bool {
    idm.count == card.count && idm.dropFirst() == card.dropFirst()
      && idm.first.map { $0 & 0x0F } == card.first.map { $0 & 0x0F }
  }
}
