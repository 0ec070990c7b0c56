import SwiftNFCCore

/// A MIFARE Classic card: MF1S50 (1K), MF1S70 (4K) or MF1S20 (Mini).
///
/// After its selection, it accepts only AUTH in plain; from then on, every bit in both directions
/// is encrypted with CRYPTO1. Keys and access conditions are enforced for every command. After a
/// NAK, a failed authentication or a broken frame, it is silent until it is selected again.
///
/// Its memory has the format of a dump of `nfc-mfclassic` (`.mfd`): all blocks in order, including
/// keys. Source: MF1S50YYX and MF1S70YYX data sheets.
public struct MIFAREClassic: VirtualChip {
  /// Behavior of copies of the chip that genuine ones do not have.
  public struct Quirks: OptionSet, Hashable, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// "Gen1a": after 40 (7 bits) and 43, every block can be read and written without a key.
    public static let backdoor = Quirks(rawValue: 1)
    /// "CUID": block 0 can be written like any other.
    public static let writableManufacturerBlock = Quirks(rawValue: 2)
    /// The same nonce for each authentication, which readers use to detect copies.
    public static let constantNonce = Quirks(rawValue: 4)
    /// A sector with invalid access bits accepts its keys, and then refuses every access (ikarus23/MifareClassicTool
    /// issue 162).
    public static let opensInvalidSectors = Quirks(rawValue: 8)
  }

  /// The member of the family.
  public let product: Product
  /// The behavior of a copy; none for a genuine chip.
  public var quirks: Quirks = []
  /// The 32 bytes with which NXP has signed the UID of an EV1 of 1K, in blocks 69 and 70, beyond the memory; `nil`
  /// for a card without them. Key B 4B791BEA7BCC reads them.
  public var signature: [UInt8]?
  var activation: TypeAActivation
  /// The first block that does not exist, on a card whose memory is smaller than the product's.
  var blockLimit: Int?
  /// The blocks whose content is not known, because the image that the card was made from does not have it: reading
  /// them is refused until they are written.
  var unknownBlocks: Set<Int> = []
  /// The keys that the image does not have, by sector: the card has others in their place.
  var unknownKeys: [Int: Set<Key>] = [:]
  /// The sectors that no key of CRYPTO1 opens.
  var closedSectors: Set<Int> = []
  private var image: [UInt8] {
    didSet { irreversibleState = Self.irreversibleState(of: image, product) }
  }
  /// Sectors whose access bits no key can change, or whose access bits are inconsistent.
  public private(set) var irreversibleState: IrreversibleState
  private var session = Session.open
  private let firstNonce: Crypto1.Nonce
  /// The number of steps of the nonce generator since power-on.
  private var generatorSteps = 0
  /// The result of INCREMENT, DECREMENT or RESTORE, which TRANSFER writes.
  private var transferBuffer: ValueBlock?

  /// - Parameters:
  ///   - atqa: the ATQA in transmission order; `nil` for the product's.
  ///   - sak: the SAK; `nil` for the product's.
  init(
    _ product: Product, uid: [UInt8], image: [UInt8], atqa: [UInt8]? = nil, sak: UInt8? = nil
  ) {
    precondition(uid.count == 4 || uid.count == 7, "a MIFARE Classic's UID has 4 or 7 bytes")
    self.product = product
    self.image = image
    irreversibleState = Self.irreversibleState(of: image, product)
    activation = TypeAActivation(
      uid: uid, atqa: atqa ?? product.atqa(uidCount: uid.count), sak: sak ?? product.sak)
    firstNonce = Self.firstNonce(uid: uid)
  }

  // MARK: VirtualChip

  public var name: String { product.name }
  public var identifier: [UInt8] { activation.uid }
  public var modulation: RadioFrame.Modulation { .typeA }

  /// All blocks, including keys and access bits. The UID at their beginning cannot be changed: the
  /// card answers with it.
  public var memory: [UInt8] {
    get { image }
    set {
      let uid = activation.uid
      let first = uid.count == 4 ? uid + [uid.reduce(0, ^)] : uid
      let written = newValue.prefix(image.count).dropFirst(first.count)
      image.replaceSubrange(written.indices, with: written)
    }
  }

  public mutating func powerOn() {
    session = .open
    transferBuffer = nil
    generatorSteps = 0
    activation.powerOn()
  }

  public mutating func carrierHasLasted(_ time: Duration) {
    generatorSteps = max(generatorSteps, Int(time / Self.generatorStep))
  }

  public mutating func powerOff() {
    session = .open
    transferBuffer = nil
    activation.powerOff()
  }

  public mutating func receive(_ frame: RadioFrame) -> RadioFrame? {
    guard frame.modulation == .typeA else { return nil }
    if let answer = receiveByBackdoor(frame) { return answer }
    switch session {
    case .open, .knocked, .unlocked:
      return receivePlain(frame)
    case .challenged(let authentication, let access):
      guard let (answer, cipher) = authentication.answer(to: frame) else {
        stopResponding()
        return nil
      }
      session = .authenticated(cipher, access, .command)
      return answer
    case .authenticated(var cipher, let access, let step):
      // An incomplete byte: REQA, WUPA or noise.
      guard frame.bitsInLastByte == 8 else {
        stopResponding()
        return nil
      }
      let decrypted = cipher.bytes(decrypting: frame)
      session = .authenticated(cipher, access, .command)
      guard let bytes = decrypted,
        let payload = RadioFrame(bytes, modulation: .typeA).checkedPayload
      else { return refuse(.transmissionError) }
      return receive(payload, access: access, step: step)
    }
  }

  // MARK: States

  private struct Access: Hashable, Sendable {
    var sector: Int
    var key: Key
  }

  /// The purpose of the second frame of a command with two frames.
  private enum Step: Hashable, Sendable {
    case command
    case data(block: Int)
    case operand(Calculation, ValueBlock)
  }

  private enum Calculation: Hashable, Sendable {
    case increment
    case decrement
    case restore
  }

  private enum Session: Hashable, Sendable {
    case open
    /// nT has been sent.
    case challenged(Crypto1.CardAuthentication, Access)
    case authenticated(Crypto1, Access, Step)
    /// A copy's backdoor has been requested, and then opened.
    case knocked
    case unlocked(Step)
  }

  private enum Backdoor {
    static let knock: UInt8 = 0x40
    static let open: UInt8 = 0x43
  }

  /// Answers the two frames that open a copy's backdoor, and READ and WRITE in plain while it is open;
  /// `nil` for other frames.
  private mutating func receiveByBackdoor(_ frame: RadioFrame) -> RadioFrame?? {
    guard quirks.contains(.backdoor), activation.state != .powerOff else { return nil }
    if frame.bytes == [Backdoor.knock], frame.bitsInLastByte == 7 {
      session = .knocked
      return .some(plainAcknowledge)
    }
    switch session {
    case .knocked where frame.bytes == [Backdoor.open] && frame.bitsInLastByte == 8:
      session = .unlocked(.command)
      return .some(plainAcknowledge)
    case .unlocked(let step):
      guard let payload = frame.bitsInLastByte == 8 ? frame.checkedPayload : nil else {
        session = .open
        return nil
      }
      session = .unlocked(.command)
      return .some(unlocked(payload, step))
    default: return nil
    }
  }

  private var plainAcknowledge: RadioFrame {
    .typeA(bare: [Self.acknowledgement], bitsInLastByte: 4)
  }

  private mutating func unlocked(_ payload: [UInt8], _ step: Step) -> RadioFrame? {
    if case .data(let block) = step, payload.count == Product.blockSize {
      Product.put(payload, atBlock: block, of: &image)
      return plainAcknowledge
    }
    guard payload.count == 2, Int(payload[1]) < product.blockCount else {
      session = .open
      return nil
    }
    switch payload[0] {
    case Command.read: return .typeA(block(Int(payload[1])))
    case Command.write:
      session = .unlocked(.data(block: Int(payload[1])))
      return plainAcknowledge
    default:
      session = .open
      return nil
    }
  }

  private mutating func stopResponding() {
    session = .open
    transferBuffer = nil
    activation.stopResponding()
  }

  // MARK: Commands

  /// The commands of the MF1S50YYX/V1 data sheet, 9.1.
  private enum Command {
    static let authenticateA: UInt8 = 0x60
    static let authenticateB: UInt8 = 0x61
    static let read: UInt8 = 0x30
    static let write: UInt8 = 0xA0
    static let decrement: UInt8 = 0xC0
    static let increment: UInt8 = 0xC1
    static let restore: UInt8 = 0xC2
    static let transfer: UInt8 = 0xB0
    static let halt: UInt8 = 0x50
  }

  private mutating func receivePlain(_ frame: RadioFrame) -> RadioFrame? {
    switch activation.receive(frame) {
    case .handled(let answer):
      return answer
    case .command(let payload):
      guard payload.count == 2, let key = Self.key(of: payload[0]) else {
        return refuse(.invalidOperation)
      }
      return authenticate(block: Int(payload[1]), key: key, isNested: false)
    case .other(let frame):
      guard frame.bitsInLastByte == 8 else {
        stopResponding()
        return nil
      }
      return refuse(.transmissionError)
    }
  }

  private static func key(of command: UInt8) -> Key? {
    switch command {
    case Command.authenticateA: .a
    case Command.authenticateB: .b
    default: nil
    }
  }

  private mutating func authenticate(block: Int, key: Key, isNested: Bool) -> RadioFrame? {
    // It is not confirmed that a sector with invalid access bits of a genuine card refuses this already. It refuses
    // every memory access (data sheet, 8.7.1).
    let sector = Product.sector(ofBlock: block)
    let keys: (a: [UInt8], b: [UInt8])
    if isOfSignature(block) {
      keys = (Signature.keyA, Signature.keyB)
    } else {
      guard block < blockLimit ?? product.blockCount,
        conditions(ofBlock: block) != nil || quirks.contains(.opensInvalidSectors),
        !closedSectors.contains(sector)
      else { return refuse(.invalidOperation) }
      let trailer = self.block(Product.trailer(ofSector: sector))
      keys = (Array(trailer.prefix(6)), Array(trailer.suffix(6)))
    }
    generatorSteps += Self.stepsOfACommand
    let nonce =
      quirks.contains(.constantNonce)
      ? firstNonce : firstNonce.successor(generatorSteps % Self.generatorPeriod)
    let authentication = Crypto1.CardAuthentication(
      key: key == .a ? keys.a : keys.b, uid: activation.uid, nonce: nonce, isNested: isNested)
    session = .challenged(authentication, Access(sector: sector, key: key))
    return authentication.challenge
  }

  private mutating func receive(
    _ payload: [UInt8], access: Access, step: Step
  ) -> RadioFrame? {
    switch step {
    case .data(let block):
      guard payload.count == Product.blockSize else { return refuse(.invalidOperation) }
      write(payload, toBlock: block, with: access.key)
      return acknowledge()
    case .operand(let calculation, let source):
      guard payload.count == 4 else { return refuse(.invalidOperation) }
      if calculation == .restore {
        transferBuffer = source
        return nil
      }
      let operand = ValueBlock.number(payload)
      guard let result = source.counted(by: operand, isIncrement: calculation == .increment) else {
        return refuse(.invalidOperation)
      }
      transferBuffer = result
      return nil
    case .command:
      guard payload.count == 2 else { return refuse(.invalidOperation) }
      return command(payload[0], block: Int(payload[1]), access: access)
    }
  }

  private mutating func command(_ code: UInt8, block: Int, access: Access) -> RadioFrame? {
    if let key = Self.key(of: code) {
      return authenticate(block: block, key: key, isNested: true)
    }
    if code == Command.halt, block == 0 {
      session = .open
      transferBuffer = nil
      activation.halt()
      return nil
    }
    guard Product.sector(ofBlock: block) == access.sector else {
      return refuse(.invalidOperation)
    }
    switch code {
    case Command.read:
      guard
        let bytes = signatureBlock(block, with: access.key)
          ?? readableBytes(ofBlock: block, with: access.key)
      else {
        return refuse(.invalidOperation)
      }
      return send(bytes)
    case Command.write:
      guard isWritable(block: block, with: access.key) else { return refuse(.invalidOperation) }
      return acknowledge(then: .data(block: block))
    case Command.increment:
      return calculate(.increment, block: block, key: access.key)
    case Command.decrement:
      return calculate(.decrement, block: block, key: access.key)
    case Command.restore:
      return calculate(.restore, block: block, key: access.key)
    case Command.transfer:
      guard let value = transferBuffer, block != 0,
        allows(.decrementTransferRestore, block: block, with: access.key)
      else { return refuse(.invalidOperation) }
      Product.put(value.bytes, atBlock: block, of: &image)
      return acknowledge()
    default:
      return refuse(.invalidOperation)
    }
  }

  private mutating func calculate(
    _ calculation: Calculation, block: Int, key: Key
  ) -> RadioFrame? {
    let operation: AccessConditions.Operation =
      calculation == .increment ? .increment : .decrementTransferRestore
    guard allows(operation, block: block, with: key),
      let source = ValueBlock(block: self.block(block))
    else { return refuse(.invalidOperation) }
    return acknowledge(then: .operand(calculation, source))
  }

  // MARK: Answers

  private enum Refusal: UInt8 {
    case invalidOperation = 0
    case transmissionError = 1
  }

  private static let acknowledgement: UInt8 = 0x0A
  /// The value that is added to a NAK's code while the transfer buffer is empty (MF1S50YYX/V1 data sheet,
  /// table 10).
  private static let transferBufferInvalid: UInt8 = 4

  private mutating func refuse(_ reason: Refusal) -> RadioFrame? {
    let code = reason.rawValue | (transferBuffer == nil ? Self.transferBufferInvalid : 0)
    let frame: RadioFrame
    if case .authenticated(var cipher, _, _) = session {
      frame = cipher.frame(encryptingAcknowledge: code)
    } else {
      frame = .typeA(bare: [code], bitsInLastByte: 4)
    }
    stopResponding()
    return frame
  }

  private mutating func acknowledge(then step: Step = .command) -> RadioFrame? {
    guard case .authenticated(var cipher, let access, _) = session else { return nil }
    let frame = cipher.frame(encryptingAcknowledge: Self.acknowledgement)
    session = .authenticated(cipher, access, step)
    return frame
  }

  private mutating func send(_ bytes: [UInt8]) -> RadioFrame? {
    guard case .authenticated(var cipher, let access, let step) = session else { return nil }
    let frame = cipher.frame(encrypting: bytes + CyclicRedundancyCheck.a(bytes))
    session = .authenticated(cipher, access, step)
    return frame
  }

  // MARK: Memory

  private func block(_ number: Int) -> [UInt8] { Self.block(number, of: image) }

  /// A block that the image does not have is zero.
  private static func block(_ number: Int, of image: [UInt8]) -> [UInt8] {
    let first = number * Product.blockSize
    guard number >= 0, first + Product.blockSize <= image.count else {
      return [UInt8](repeating: 0, count: Product.blockSize)
    }
    return Array(image[first..<first + Product.blockSize])
  }

  private static func irreversibleState(of image: [UInt8], _ product: Product) -> IrreversibleState
  {
    var state = IrreversibleState()
    for sector in 0..<product.sectorCount {
      let trailer = block(Product.trailer(ofSector: sector), of: image)
      if AccessConditions(trailer: trailer)?.canChangeAccessBits != true {
        state.add(.accessBits, place: sector)
      }
    }
    return state
  }

  private func isTrailer(_ block: Int) -> Bool {
    block == Product.trailer(ofSector: Product.sector(ofBlock: block))
  }

  private func conditions(ofBlock block: Int) -> AccessConditions? {
    AccessConditions(
      trailer: self.block(Product.trailer(ofSector: Product.sector(ofBlock: block))))
  }

  private func allows(
    _ operation: AccessConditions.Operation, block: Int, with key: Key
  ) -> Bool {
    guard let conditions = conditions(ofBlock: block) else { return false }
    return conditions.allows(operation, group: Product.accessGroup(ofBlock: block), with: key)
  }

  /// Returns the readable bytes of a block. In a trailer, fields that may not be read are zeros.
  private func readableBytes(ofBlock block: Int, with key: Key) -> [UInt8]? {
    guard isTrailer(block) else {
      let isReadable = !unknownBlocks.contains(block) && allows(.read, block: block, with: key)
      return isReadable ? self.block(block) : nil
    }
    guard !unknownBlocks.contains(block), let conditions = conditions(ofBlock: block),
      conditions.allowsTrailerRead(with: key)
    else { return nil }
    let hidden = [UInt8](repeating: 0, count: 6)
    let bytes = self.block(block)
    return hidden + bytes[6..<10] + (conditions.isKeyBReadable ? Array(bytes[10...]) : hidden)
  }

  private func isWritable(block: Int, with key: Key) -> Bool {
    guard block != 0 || quirks.contains(.writableManufacturerBlock) else { return false }
    guard isTrailer(block) else { return allows(.write, block: block, with: key) }
    return conditions(ofBlock: block)?.writableTrailerFields(with: key).isEmpty == false
  }

  private mutating func write(_ bytes: [UInt8], toBlock block: Int, with key: Key) {
    guard isTrailer(block) else {
      Product.put(bytes, atBlock: block, of: &image)
      unknownBlocks.remove(block)
      return
    }
    let fields = conditions(ofBlock: block)?.writableTrailerFields(with: key) ?? []
    var trailer = self.block(block)
    let sector = Product.sector(ofBlock: block)
    if fields.contains(.keyA) {
      trailer.replaceSubrange(0..<6, with: bytes[0..<6])
      unknownKeys[sector]?.remove(.a)
    }
    if fields.contains(.accessBits) { trailer.replaceSubrange(6..<10, with: bytes[6..<10]) }
    if fields.contains(.keyB) {
      trailer.replaceSubrange(10..<16, with: bytes[10..<16])
      unknownKeys[sector]?.remove(.b)
    }
    Product.put(trailer, atBlock: block, of: &image)
  }

  // MARK: Nonces

  /// The time of one step. The generator advances once per elementary time unit while there is a carrier,
  /// so that a nonce depends only on time (Garcia et al., "Dismantling MIFARE Classic", 2008).
  private static let generatorStep = Duration.nanoseconds(9440)
  /// The period of the generator, whose register has 16 bits.
  private static let generatorPeriod = 65_535
  /// The number of steps between two authentications if no time passes.
  private static let stepsOfACommand = 1

  /// Returns the state of the generator at power-on. It is always the same for a card, so that a run can
  /// be repeated.
  private static func firstNonce(uid: [UInt8]) -> Crypto1.Nonce {
    let seed = CyclicRedundancyCheck.a(uid).reduce(UInt16(0)) { $0 << 8 | UInt16($1) }
    return Crypto1.Nonce(generatorState: seed == 0 ? 1 : seed)
  }
}
