import SwiftNFCCore

/// MIFARE Ultralight EV1, MF0UL11 or MF0UL21.
///
/// An Ultralight with a password (AUTH0 and ACCESS take effect at the next selection, CFGLCK at the next
/// power-up), three counters that only increase, GET_VERSION, FAST_READ, READ_SIG and VCSL. Lock bits
/// take effect immediately. After a NAK, a wrong password or an unknown command, it is silent until it is
/// selected again.
///
/// Its memory consists of all pages, including the real password and acknowledge; counters and signature
/// are stored separately.
///
/// Source: data sheet MF0ULx1 rev. 3.3.
public struct MIFAREUltralightEV1: VirtualChip, Type2Chip {
  /// The members of the family, which differ in memory: 20 or 41 pages.
  @nonexhaustive
  public enum Product: String, CaseIterable, Sendable {
    /// MF0UL11: 20 pages.
    case mf0ul11
    /// MF0UL21: 41 pages.
    case mf0ul21
  }

  /// The member of the family.
  public let product: Product

  /// The answer to READ_SIG: r and s of NXP's signature of the UID, 16 bytes each. It is genuine for the
  /// default UIDs and wrong for any other.
  public var signature: [UInt8]

  /// The three counters, 24 bits each. They are kept without power.
  public internal(set) var counters: [UInt32] = [0, 0, 0]

  var activation: TypeAActivation
  var pages: [UInt8]
  var awaitedPage: Int?
  var facts: Type2Facts?
  var protection: PasswordProtection

  /// - Parameters:
  ///   - uid: 7 bytes; `nil` for the chip's own.
  ///   - formatted: whether it is an NFC Forum tag with an empty message; if not, it is as on delivery,
  ///     with zeros in page 3 and the user memory.
  public init(_ product: Product, uid: [UInt8]? = nil, formatted: Bool = true) {
    self.init(product, uid: uid, content: formatted ? product.dataArea.emptyContent : [])
  }

  /// - Parameters:
  ///   - uid: 7 bytes; `nil` for the chip's own.
  ///   - ndef: the message, or its bytes.
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public init(_ product: Product, uid: [UInt8]? = nil, ndef: some TagMessage)
    throws(VirtualTagError)
  {
    self.init(
      product, uid: uid, content: try product.dataArea.content(message: ndef.encodedMessage))
  }

  /// Creates a chip from a dump; `nil` unless it has 80 (MF0UL11) or 164 bytes (MF0UL21).
  ///
  /// A dump made by a reader has zeros in place of password and acknowledge; the chip then has zeros
  /// there too.
  public init?(dump: [UInt8]) {
    guard
      let product = Product.allCases.first(where: {
        $0.pageCount * Type2Memory.pageSize == dump.count
      }),
      let uid = Type2Memory.uid(ofDump: dump)
    else { return nil }
    self.init(product, uid: uid, content: [])
    load(dump)
  }

  private init(_ product: Product, uid: [UInt8]?, content: [UInt8]) {
    let uid = uid ?? product.defaultUID
    self.product = product
    activation = Self.activation(uid: uid)
    signature = OriginalitySignature.signature(uid: uid)
    pages = Type2Memory.image(
      uid: uid, pageCount: product.pageCount,
      content: product.factoryConfiguration.merging([Type2Memory.oneTimePage: content]) { $1 })
    protection = PasswordProtection(configurationPage: product.configurationPage)
  }

  // MARK: VirtualChip

  public var name: String { product == .mf0ul11 ? "ultralight-ev1" : "ultralight-ev1-128" }

  public mutating func powerOn() {
    activation.powerOn()
    protection.powerOn(pages)
  }

  // MARK: Type2Chip

  var lockMap: LockMap { product.lockMap }
  var readEnd: Int { protection.readEnd(pageCount: pageCount) }
  var readableImage: [UInt8] { protection.hidingSecrets(in: pages) }

  func acceptsWrite(to page: Int) -> Bool {
    (Type2Memory.staticLockPage..<pageCount).contains(page) && protection.acceptsWrite(to: page)
      && !lockMap.isLocked(page, inForce: pages)
  }

  var frozenSettings: IrreversibleState {
    var state = protection.frozenSettings(pages)
    for (number, value) in counters.enumerated() {
      state.add(.counter, place: number, bits: UInt64(value))
    }
    return state
  }

  mutating func activateSettings() { protection.select(pages) }
  mutating func endSession() { protection.forget() }

  mutating func execute(_ command: [UInt8]) -> Type2Answer {
    switch (command.first, command.count) {
    case (Type2Command.getVersion, 1): return .data(product.version)
    case (Type2Command.fastRead, _): return fastRead(command)
    case (Type2Command.readSignature, 2) where command[1] == 0: return .data(signature)
    case (Type2Command.passwordAuthenticate, _):
      return protection.authenticate(command, memory: pages)
    case (Type2Command.readCounter, 2):
      guard let value = counter(command[1]) else { return .refusal(.invalidArgument) }
      return .data((0..<3).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
    case (Type2Command.incrementCounter, 6): return increment(command)
    case (Type2Command.checkTearingEvent, 2) where counter(command[1]) != nil:
      return .data([Self.validCounter])
    case (Type2Command.virtualCardSelectLast, Type2Command.virtualCardSelectLastSize):
      return .data([pages[(product.configurationPage + 1) * Type2Memory.pageSize + 1]])
    default: return executeBasic(command)
    }
  }

  // MARK: Counters

  private static let counterEnd: UInt32 = 0xFF_FFFF
  /// The answer to CHECK_TEARING_EVENT if no increment was interrupted, which never happens here.
  private static let validCounter: UInt8 = 0xBD

  private func counter(_ number: UInt8) -> UInt32? {
    counters.indices.contains(Int(number)) ? counters[Int(number)] : nil
  }

  private mutating func increment(_ command: [UInt8]) -> Type2Answer {
    guard let value = counter(command[1]) else { return .refusal(.invalidArgument) }
    let increment =
      UInt32(command[2]) | UInt32(command[3]) << 8 | UInt32(command[4]) << 16
    guard value + increment <= Self.counterEnd else { return .refusal(.counterOverflow) }
    counters[Int(command[1])] = value + increment
    return .acknowledge
  }
}

extension MIFAREUltralightEV1.Product {
  /// The number of all pages, including the configuration.
  var pageCount: Int { configurationPage + 4 }

  /// The page of CFG0; CFG1, PWD and PACK follow it.
  var configurationPage: Int { self == .mf0ul11 ? 0x10 : 0x25 }

  /// The page of the dynamic lock bytes. Only MF0UL21 has pages beyond the range of the static lock bytes
  /// (section 8.5.3).
  private static let dynamicLockPage = 0x24

  var lockMap: LockMap { self == .mf0ul21 ? Self.largeMap : .static }

  private static let largeMap: LockMap =
    .static + .dynamic(page: dynamicLockPage, granularity: 2, last: dynamicLockPage - 1)

  /// The answer to GET_VERSION of the 17 pF version: table 14.
  var version: [UInt8] {
    [0x00, 0x04, 0x03, 0x01, 0x01, 0x00, self == .mf0ul11 ? 0x0B : 0x0E, 0x03]
  }

  var dataArea: Type2DataArea {
    Type2DataArea(capabilityContainer: [0xE1, 0x10, self == .mf0ul11 ? 0x06 : 0x10, 0x00])
  }

  /// The configuration on delivery: nothing locked, AUTH0 FF, VCTID 05, password FFFFFFFF, acknowledge
  /// 0000 (section 8.5.7).
  var factoryConfiguration: [Int: [UInt8]] {
    var content: [Int: [UInt8]] = [
      configurationPage: [0x00, 0x00, 0x00, 0xFF],
      configurationPage + 1: [0x00, 0x05, 0x00, 0x00],
      configurationPage + 2: [0xFF, 0xFF, 0xFF, 0xFF],
    ]
    if self == .mf0ul21 { content[Self.dynamicLockPage] = [0x00, 0x00, 0x00, 0xBD] }
    return content
  }

  /// UIDs of real chips with published signatures.
  var defaultUID: [UInt8] {
    [0x04, self == .mf0ul11 ? 0xC1 : 0xC2, 0x28, 0x5A, 0x37, 0x30, 0x80]
  }
}

extension VirtualTag {
  /// Returns a MIFARE Ultralight EV1 MF0UL11, 48 bytes of user memory.
  ///
  /// - Parameters:
  ///   - uid: 7 bytes; `nil` for the chip's own.
  ///   - formatted: whether it is an NFC Forum tag with an empty message; if not, it is as on delivery.
  public static func ultralightEV1(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    VirtualTag(MIFAREUltralightEV1(.mf0ul11, uid: uid, formatted: formatted))
  }

  /// Returns a MIFARE Ultralight EV1 MF0UL11 with an NDEF message of up to 46 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func ultralightEV1(
    uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try MIFAREUltralightEV1(.mf0ul11, uid: uid, ndef: ndef))
  }

  /// Returns a MIFARE Ultralight EV1 MF0UL21, 128 bytes of user memory.
  ///
  /// - Parameters:
  ///   - uid: 7 bytes; `nil` for the chip's own.
  ///   - formatted: whether it is an NFC Forum tag with an empty message; if not, it is as on delivery.
  public static func ultralightEV1With128Bytes(
    uid: [UInt8]? = nil, formatted: Bool = true
  ) -> VirtualTag {
    VirtualTag(MIFAREUltralightEV1(.mf0ul21, uid: uid, formatted: formatted))
  }

  /// Returns a MIFARE Ultralight EV1 MF0UL21 with an NDEF message of up to 126 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func ultralightEV1With128Bytes(
    uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try MIFAREUltralightEV1(.mf0ul21, uid: uid, ndef: ndef))
  }
}
