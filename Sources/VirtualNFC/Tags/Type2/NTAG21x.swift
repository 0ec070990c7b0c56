import SwiftNFCCore

/// NTAG210, NTAG212, NTAG213, NTAG215 or NTAG216.
///
/// Page 3 holds one-time bits. Page 2 and (except in NTAG210) one more page hold lock bits, which take
/// effect immediately. The last four pages are the configuration: the place of the mirror of UID and
/// counter, the first page that requires a password and the operations that do, the password, and its
/// acknowledge. AUTH0 and ACCESS take effect at the next selection, CFGLCK at the next power-up. After a
/// NAK, a wrong password or an unknown command, the chip is silent until it is selected again.
///
/// Its memory consists of all pages, including the real password and acknowledge; counter and signature
/// are stored separately.
///
/// Source: data sheets NTAG213/215/216 rev. 3.2 and NTAG210/212 rev. 3.0.
public struct NTAG21x: VirtualChip, Type2Chip {
  /// The member of the family.
  public let product: Product

  /// The answer to READ_SIG: r and s of NXP's signature of the UID, 16 bytes each. It is genuine for the
  /// default UIDs of NTAG213, NTAG215 and NTAG216, and wrong for any other.
  public var signature: [UInt8]

  /// The NFC counter, 24 bits. It is kept without power. NTAG210 and NTAG212 have none.
  public var counter: UInt32 = 0

  var activation: TypeAActivation
  var pages: [UInt8]
  var awaitedPage: Int?
  var facts: Type2Facts?
  var protection: PasswordProtection
  /// Whether the first READ since power-up has been counted.
  private var hasCounted = false

  /// - Parameters:
  ///   - uid: 7 bytes; `nil` for the chip's own.
  ///   - formatted: no effect, because these chips leave the factory with a capability container and an
  ///     empty message.
  public init(_ product: Product, uid: [UInt8]? = nil, formatted: Bool = true) {
    self.init(product, uid: uid, content: product.dataArea.emptyContent)
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

  /// Creates a chip from a dump; `nil` if its size is not the product's.
  ///
  /// A dump made by a reader has zeros in place of password and acknowledge; the chip then has zeros
  /// there too.
  public init?(_ product: Product, dump: [UInt8]) {
    guard dump.count == product.pageCount * Type2Memory.pageSize,
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

  public var name: String { product.rawValue }

  public mutating func powerOn() {
    activation.powerOn()
    protection.powerOn(pages)
    hasCounted = false
  }

  // MARK: Type2Chip

  var lockMap: LockMap { product.lockMap }
  var readEnd: Int { protection.readEnd(pageCount: pageCount) }

  var readableImage: [UInt8] {
    var image = protection.hidingSecrets(in: pages)
    if let mirror {
      image.replaceSubrange(mirror.offset..<(mirror.offset + mirror.text.count), with: mirror.text)
    }
    return image
  }

  func acceptsWrite(to page: Int) -> Bool {
    (Type2Memory.staticLockPage..<pageCount).contains(page) && protection.acceptsWrite(to: page)
      && !lockMap.isLocked(page, inForce: pages)
  }

  /// The irreversible settings. The NFC counter is not included, because it counts automatically.
  var frozenSettings: IrreversibleState { protection.frozenSettings(pages) }

  mutating func activateSettings() { protection.select(pages) }
  mutating func endSession() { protection.forget() }

  /// Increases the counter once in each field, at the first READ or FAST_READ, up to its maximum.
  mutating func willRead() {
    guard product.hasCounter, protection.access & Access.counterEnabled != 0, !hasCounted
    else { return }
    hasCounted = true
    counter = min(counter + 1, Self.counterEnd)
  }

  mutating func execute(_ command: [UInt8]) -> Type2Answer {
    switch (command.first, command.count) {
    case (Type2Command.getVersion, 1): return .data(product.version)
    case (Type2Command.getVersion, _):
      // A log of an SCL3711 shows silence, and not a refusal, for one byte too many (nfc-tools/libfreefare issue 112).
      activation.stopResponding()
      return .silence
    case (Type2Command.fastRead, _): return fastRead(command)
    case (Type2Command.readCounter, 2): return readCounter(command[1])
    case (Type2Command.readSignature, 2) where command[1] == 0: return .data(signature)
    case (Type2Command.passwordAuthenticate, _):
      return protection.authenticate(command, memory: pages)
    default: return executeBasic(command)
    }
  }

  // MARK: Counter

  /// Bits of ACCESS that belong to the counter: NTAG213/215/216 rev. 3.2, table 10.
  enum Access {
    static let counterEnabled: UInt8 = 0x10
    static let counterProtected: UInt8 = 0x08
  }

  static let counterEnd: UInt32 = 0xFF_FFFF
  /// The number of the only counter.
  private static let counterNumber: UInt8 = 0x02

  /// Whether the counter may be read, by READ_CNT or in the mirror.
  var isCounterReadable: Bool {
    let access = protection.access
    return product.hasCounter && access & Access.counterEnabled != 0
      && (access & Access.counterProtected == 0 || protection.isAuthenticated)
  }

  private func readCounter(_ number: UInt8) -> Type2Answer {
    guard number == Self.counterNumber, isCounterReadable else { return .refusal(.invalidArgument) }
    return .data((0..<3).map { UInt8(truncatingIfNeeded: counter >> (8 * $0)) })
  }
}
