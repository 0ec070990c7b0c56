/// The times of frames and answers over the air.
///
/// Sources: ISO/IEC 14443-2 and -3 for types A and B, JIS X 6319-4 for FeliCa, ISO/IEC 15693-3. The
/// processing times of tags are from recorded traces of real ones.
enum RadioTiming {
  /// The number of carrier periods per microsecond, which the unit's timer counts too.
  static let carrierCycles = 13.56
  /// One elementary time unit at 106 kbit/s in microseconds: 128 periods of the carrier.
  private static let elementaryUnit = 128 / carrierCycles

  /// Returns the time from the first bit of a frame to the last, in microseconds.
  static func microseconds(of frame: RadioFrame) -> Double {
    let rate = Double(max(frame.bitRate, 1))
    switch frame.modulation {
    case .typeA:
      let bits = Double(frame.bitCount + frame.bytes.count + 3)
      return bits * elementaryUnit * 106 / rate
    case .typeB:
      let bits = Double(10 * frame.bytes.count + 25)
      return bits * elementaryUnit * 106 / rate
    case .feliCa:
      return Double(8 * (8 + frame.bytes.count)) * elementaryUnit * 106 / rate
    case .iso15693:
      return 113 + 302 * Double(frame.bytes.count)
    }
  }

  static func duration(of frame: RadioFrame) -> Duration {
    .nanoseconds(Int64(microseconds(of: frame) * 1000))
  }

  /// The time for WRITE of a page, and for the data half of COMPATIBILITY_WRITE or of a Classic's WRITE.
  private static let memoryWrite = Duration.microseconds(4100)
  /// The minimum time between frames of type A (ISO/IEC 14443-3, 6.2.1.1).
  private static let typeA = Duration.microseconds(86)
  /// The time between an I-block and its answer, for a card that computes nothing.
  private static let block = Duration.microseconds(1200)
  private static let typeB = Duration.microseconds(200)
  /// The time to the first time slot, and from one slot to the next (JIS X 6319-4).
  private static let firstSlot = Duration.nanoseconds(2_417_000)
  private static let slot = Duration.nanoseconds(1_208_000)
  /// The time of a FeliCa card for a command, and for each block. It is less than the PMm of the fastest
  /// card, FeliCa Lite, specifies.
  private static let feliCaCommand = Duration.microseconds(300)
  private static let feliCaBlock = Duration.microseconds(250)

  private enum Code {
    static let writePage: UInt8 = 0xA2
    static let polling: UInt8 = 0x00
    static let readWithoutEncryption: UInt8 = 0x06
    static let writeWithoutEncryption: UInt8 = 0x08
  }

  /// Returns the time from the end of a request to the beginning of its answer, for a chip without its
  /// own times.
  static func responseTime(to request: RadioFrame, _ answer: RadioFrame) -> Duration {
    switch request.modulation {
    case .typeA:
      // A four-bit acknowledge after a page or a block of data: the memory has been written.
      let isData = request.bytes.count == 18 || request.bytes.first == Code.writePage
      if answer.bitCount == 4, isData { return memoryWrite }
      // I-blocks, with and without CID, except the commands of Type 2 tags and MIFARE Classic.
      if let first = request.bytes.first, first & 0xE2 == 0x02, request.bytes.count > 4 {
        return block
      }
      return typeA
    case .typeB:
      if let first = request.bytes.first, first & 0xE2 == 0x02 { return block }
      return typeB
    case .feliCa:
      // The frame consists of LEN, code, IDm, …
      guard request.bytes.count > 1 else { return firstSlot }
      switch request.bytes[1] {
      case Code.polling: return firstSlot
      case Code.readWithoutEncryption, Code.writeWithoutEncryption:
        let services = request.bytes.count > 10 ? Int(request.bytes[10]) : 0
        let place = 11 + 2 * services
        let blocks = place < request.bytes.count ? Int(request.bytes[place]) : 1
        return feliCaCommand + feliCaBlock * min(blocks, 15)
      default: return feliCaCommand
      }
    case .iso15693: return .microseconds(321)
    }
  }

  /// Returns the response time of a Polling's slot, 0 to 15.
  static func responseTime(inSlot number: Int) -> Duration { firstSlot + slot * number }
}
