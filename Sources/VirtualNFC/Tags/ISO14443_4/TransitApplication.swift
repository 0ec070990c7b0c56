/// A T-Money-like stored value application: the part of KS X 6924 that public readers of such cards use.
///
/// Its content is fictitious. It answers SELECT with the purse information, returns the balance, and has
/// transaction records for READ RECORD. The answers of a real card to other commands are not confirmed;
/// here they are refused.
public struct TransitApplication: VirtualApplet {
  /// D4100000030001, the application identifier of T-Money.
  public let aid: [UInt8] = [0xD4, 0x10, 0x00, 0x00, 0x03, 0x00, 0x01]
  /// The 16 digits of the card number, two per byte.
  public let cardNumber: [UInt8]
  /// The balance in won.
  public var balance: UInt32
  /// The records of the file with the short identifier 4, 46 bytes each, the newest first.
  public var records: [[UInt8]]

  /// - Parameter cardNumber: 8 bytes, two digits each; a number of another size is truncated or padded.
  public init(
    cardNumber: [UInt8] = [0x10, 0x10, 0x00, 0x12, 0x34, 0x56, 0x78, 0x90],
    balance: UInt32 = 12_340, records: [[UInt8]] = Self.exampleRecords
  ) {
    self.cardNumber = Self.fit(cardNumber, to: 8)
    self.balance = balance
    self.records = records.map { Self.fit($0, to: Self.recordSize) }
  }

  private static func fit(_ bytes: [UInt8], to size: Int) -> [UInt8] {
    Array((bytes + [UInt8](repeating: 0, count: size)).prefix(size))
  }

  /// A top-up of 10 000 won and a ride for 1 250.
  ///
  /// Type (01 ride, 02 top-up), length, balance, number, amount; the rest is zero.
  public static let exampleRecords: [[UInt8]] = [
    [0x01, 0x2C, 0x00, 0x00, 0x30, 0x34, 0x00, 0x00, 0x00, 0x05, 0x00, 0x00, 0x04, 0xE2],
    [0x02, 0x2C, 0x00, 0x00, 0x35, 0x16, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x27, 0x10],
  ]

  /// The balance, four bytes, most significant first.
  public var memory: [UInt8] {
    get { Self.bytes(balance) }
    set {
      guard newValue.count >= 4 else { return }
      balance = newValue.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }
  }

  // MARK: Commands

  private static let recordSize = 46
  /// The class of the instructions of KS X 6924.
  private static let proprietaryClass: UInt8 = 0x90
  private static let getBalance: UInt8 = 0x4C
  /// The short identifier of the transaction file.
  private static let transactionFile: UInt8 = 4
  private static let fileControlInformation: UInt8 = 0x6F
  private static let purseInformationTag: UInt8 = 0xB0

  private static func bytes(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  /// The 47 bytes of purse information, most numbers as decimal digits.
  private var purseInformation: [UInt8] {
    let kind: [UInt8] = [
      0x00,  // prepaid
      0x10,  // 3DES
      0x01,  // key set version
      0x08,  // issuer: T-Money
    ]
    let authenticationIdentifier: [UInt8] = [0x00, 0x00, 0x00, 0x00, 0x01]
    let dates: [UInt8] = [0x20, 0x24, 0x01, 0x02, 0x20, 0x34, 0x01, 0x01]
    let tariff: [UInt8] = [
      0x01,  // ticket: regular
      0x00,  // no discount
    ]
    let largestBalance = Self.bytes(500_000)
    let branch: [UInt8] = [0x00, 0x01]
    let largestPayment = Self.bytes(500_000)
    let companies: [UInt8] = [
      0x00,  // telephone
      0x00,  // credit card
    ]
    return kind + cardNumber + authenticationIdentifier + dates + tariff + largestBalance + branch
      + largestPayment + companies + [UInt8](repeating: 0, count: 8)
  }

  public mutating func select() -> [UInt8] {
    let purse = purseInformation
    return [
      Self.fileControlInformation, UInt8(purse.count + 2), Self.purseInformationTag,
      UInt8(purse.count),
    ] + purse + StatusWord.success.bytes
  }

  public mutating func process(_ apdu: [UInt8]) -> [UInt8] {
    guard let command = CommandAPDU(apdu) else { return StatusWord.wrongLength.bytes }
    switch (command.cla, command.ins) {
    case (Self.proprietaryClass, Self.getBalance):
      guard command.parameter == 0 else { return StatusWord.incorrectParameters.bytes }
      guard command.data.isEmpty, command.expectedLength >= 4 else {
        return StatusWord.wrongLength.bytes
      }
      return Self.bytes(balance) + StatusWord.success.bytes
    case (0x00, Instruction.readRecord):
      return readRecord(command)
    case (0x00, _), (Self.proprietaryClass, _):
      return StatusWord.instructionNotSupported.bytes
    default:
      return StatusWord.classNotSupported.bytes
    }
  }

  /// Runs READ RECORD (ISO/IEC 7816-4, 7.3.3): the record number is in P1, the short file identifier in
  /// P2 bits 8 to 4; the other bits of P2 are 4 for a single record.
  private func readRecord(_ command: CommandAPDU) -> [UInt8] {
    guard command.p2 & 0x07 == 0x04 else { return StatusWord.functionNotSupported.bytes }
    guard command.p2 >> 3 == Self.transactionFile else { return StatusWord.fileNotFound.bytes }
    guard command.p1 >= 1, Int(command.p1) <= records.count else {
      return StatusWord.recordNotFound.bytes
    }
    guard command.data.isEmpty else { return StatusWord.wrongLength.bytes }
    guard command.expectsMaximum || command.expectedLength == Self.recordSize else {
      return StatusWord.wrongExpectedLength(Self.recordSize).bytes
    }
    return records[Int(command.p1) - 1] + StatusWord.success.bytes
  }
}

extension VirtualTag {
  /// Returns a type A transit card like T-Money, with a balance in won.
  public static func tMoney(
    uid: [UInt8] = [0x1C, 0x7D, 0x35, 0xA2], application: TransitApplication = .init()
  ) -> VirtualTag {
    VirtualTag(ISO7816Card(name: "tmoney", uid: uid, applets: [application]))
  }
}
