/// The settings of RFConfiguration (UM0701-02, 7.3.1).
struct RadioConfiguration: Hashable, Sendable {
  /// Item 02: the codes of the time-outs for ATR_RES, and for InDataExchange and InCommunicateThru.
  var attributeTimeOut: UInt8 = 0x0B
  var retryTimeOut: UInt8 = 0x0A
  /// Item 04, MaxRtyCOM: the number of retries of an exchange.
  var communicationRetries: UInt8 = 0x00
  /// Item 05: the numbers of retries of ATR_REQ, of PSL_REQ or PPS, and of an activation; 255 for endless
  /// retries.
  var attributeRetries: UInt8 = 0xFF
  var parameterRetries: UInt8 = 0x01
  var activationRetries: UInt8 = 0xFF
  /// Items 0A to 0D, the analogue settings, in the order of the command.
  var typeA: [UInt8] = [0x59, 0xF4, 0x3F, 0x11, 0x4D, 0x85, 0x61, 0x6F, 0x26, 0x62, 0x87]
  var feliCa: [UInt8] = [0x69, 0xFF, 0x3F, 0x11, 0x41, 0x85, 0x61, 0x6F]
  var typeB: [UInt8] = [0xFF, 0x17, 0x85]
  var higherRates: [UInt8] = [0x85, 0x15, 0x8A, 0x85, 0x08, 0xB2, 0x85, 0x01, 0xDA]

  static let forEver: UInt8 = 0xFF

  private enum Item {
    static let timeOuts: UInt8 = 0x02
    static let communicationRetries: UInt8 = 0x04
    static let retries: UInt8 = 0x05
    static let typeA: UInt8 = 0x0A
    static let feliCa: UInt8 = 0x0B
    static let typeB: UInt8 = 0x0C
    static let higherRates: UInt8 = 0x0D
  }

  /// The code of the maximum time-out, 3.28 s.
  private static let lastTimeOut: UInt8 = 0x10

  /// Sets an item from its data. Returns whether both are valid according to the manual.
  mutating func set(_ item: UInt8, _ data: [UInt8]) -> Bool {
    switch (item, data.count) {
    case (Item.timeOuts, 3):
      guard data[1] <= Self.lastTimeOut, data[2] <= Self.lastTimeOut else { return false }
      (attributeTimeOut, retryTimeOut) = (data[1], data[2])
    case (Item.communicationRetries, 1): communicationRetries = data[0]
    case (Item.retries, 3):
      (attributeRetries, parameterRetries, activationRetries) = (data[0], data[1], data[2])
    case (Item.typeA, typeA.count): typeA = data
    case (Item.feliCa, feliCa.count): feliCa = data
    case (Item.typeB, typeB.count): typeB = data
    case (Item.higherRates, higherRates.count): higherRates = data
    default: return false
    }
    return true
  }

  /// The time for which InDataExchange and InCommunicateThru wait for an answer; `nil` for an endless
  /// wait.
  var exchangeLimit: Duration? { Self.limit(retryTimeOut) }

  /// Returns the time-out of a code: 100 µs for the first, twice as much for each further one; 0 for no
  /// time-out.
  private static func limit(_ code: UInt8) -> Duration? {
    code == 0 ? nil : .microseconds(100 << (Int(code) - 1))
  }
}
