import SwiftNFCCore

/// An NTAG 424 DNA (NT4H2421Gx), whose NDEF file can contain a link that is signed again at every read.
///
/// It supports every command of the data sheet, with AES and, after switching, with LRP; the keys of the
/// chip itself are not included. It limits the number of failed authentications. When
/// AUTHENTICATION_DELAY begins is not published, so ``pendingDelays`` determines it.
public struct NTAG424: VirtualChip {
  private(set) var interface: ProximityInterface
  private var core: NTAG424Core

  /// The UID of a genuine chip and its signature.
  private static let defaultUID: [UInt8] = [0x04, 0x63, 0x47, 0x4A, 0xA2, 0x6A, 0x80]
  private static let defaultSignature: [UInt8] = [
    0x27, 0xE9, 0xA5, 0x0E, 0x6C, 0xA4, 0xBA, 0x90, 0x37, 0xC0, 0x2F, 0x7D, 0x20, 0xA8, 0x0D,
    0x02, 0x84, 0xD0, 0xC1, 0xD8, 0x3C, 0x67, 0xF5, 0xA5, 0xAC, 0x1D, 0x8A, 0x4E, 0xF8, 0x6C,
    0x95, 0x08, 0x41, 0x7E, 0x4E, 0x9C, 0x6F, 0x85, 0xAA, 0x79, 0x20, 0xF0, 0xAB, 0xDE, 0xD9,
    0x84, 0xCA, 0xF2, 0x04, 0x67, 0xD6, 0x6E, 0xA5, 0x4B, 0xBF, 0x08,
  ]
  private static let signatureSize = 56
  private static let ats: [UInt8] = [0x06, 0x77, 0x77, 0x71, 0x02, 0x80]

  /// Creates a chip as on delivery: an empty NFC Forum Type 4 tag whose five keys are zeros.
  ///
  /// - Parameters:
  ///   - uid: 7 bytes; `nil` for a genuine chip's.
  ///   - signature: the answer to Read_Sig, 56 bytes; `nil` for the genuine one, and zeros with any other
  ///     UID.
  public init(uid: [UInt8]? = nil, signature: [UInt8]? = nil) {
    self.init(uid, signature, message: [])
  }

  /// Creates a chip with a message.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public init(
    uid: [UInt8]? = nil, signature: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) {
    let capacity = NTAG424File.ndefSize - 2
    let message = ndef.encodedMessage
    guard message.count <= capacity else { throw .messageTooLarge(capacity: capacity) }
    self.init(uid, signature, message: message)
  }

  private init(_ uid: [UInt8]?, _ signature: [UInt8]?, message: [UInt8]) {
    let uid = uid ?? Self.defaultUID
    let published =
      uid == Self.defaultUID
      ? Self.defaultSignature : [UInt8](repeating: 0, count: Self.signatureSize)
    interface = Self.interface(uid)
    core = NTAG424Core(
      uid: uid, signature: signature ?? published,
      ndef: UInt16(message.count).bigEndianBytes + message)
  }

  private static func interface(_ uid: [UInt8]) -> ProximityInterface {
    ProximityInterface(
      typeA: uid, atqa: [uid.count == 7 ? 0x44 : 0x04, 0x03], sakOfCascade: 0x04, ats: ats)
  }

  public var name: String { "ntag424" }
  public var identifier: [UInt8] { core.uid }
  public var modulation: RadioFrame.Modulation { interface.modulation }

  /// The capability container, the NDEF file and the proprietary file, without mirrored data.
  public var memory: [UInt8] {
    get { core.files.flatMap(\.content) }
    set {
      var rest = newValue[...]
      for index in core.files.indices {
        let part = rest.prefix(core.files[index].content.count)
        core.files[index].content.replaceSubrange(0..<part.count, with: part)
        rest = rest.dropFirst(part.count)
      }
    }
  }

  /// The five keys, 16 bytes each.
  public var keys: [[UInt8]] { core.keys.map(\.bytes) }

  /// The versions of the five keys.
  public var keyVersions: [UInt8] { core.keys.map(\.version) }

  /// The answers to GetFileSettings for each file.
  public var fileSettings: [[UInt8]] { core.files.map(\.settings) }

  /// The number of reads of the NDEF file since Secure Dynamic Messaging was enabled.
  public var readCounter: UInt32 { core.files.map(\.readCounter).max() ?? 0 }

  /// Whether the chip has been switched to LRP.
  public var usesLRP: Bool { core.usesLRP }

  public var irreversibleState: IrreversibleState {
    var state = IrreversibleState()
    state.add(.configurationLock, place: 0, bits: core.usesLRP ? 1 : 0)
    return state
  }

  /// The number of failed authentications with each key (TotFailCtr).
  public var failedAuthentications: [Int] { core.keys.map(\.failures) }

  /// The number of further authentications that are answered with AUTHENTICATION_DELAY.
  public var pendingDelays: Int {
    get { core.pendingDelays }
    set { core.pendingDelays = newValue }
  }

  public mutating func powerOn() {
    // The identifier is different each time (data sheet, table 50): 08 and three random bytes (ISO/IEC
    // 14443-3, 6.5.4).
    if core.usesRandomIdentifier { interface = Self.interface([0x08] + core.generator.bytes(3)) }
    interface.powerOn()
    core.reset()
  }

  public mutating func powerOff() {
    interface.powerOff()
    core.reset()
  }

  public mutating func receive(_ frame: RadioFrame) -> RadioFrame? {
    let wasActivated = interface.isActivated
    switch interface.receive(frame) {
    case .handled(let answer):
      if wasActivated, !interface.isActivated { core.reset() }
      return answer
    case .command(let command):
      return interface.respond(process(command))
    }
  }

  private static let wrappedClass: UInt8 = 0x90
  private static let interindustryClass: UInt8 = 0x00

  /// Executes a command APDU and returns the answer, without the radio layer.
  package mutating func process(_ bytes: [UInt8]) -> [UInt8] {
    guard let command = CommandAPDU(bytes) else { return StatusWord.wrongLength.bytes }
    switch command.cla {
    case Self.wrappedClass:
      guard !command.isExtended else { return StatusWord.wrongLength.bytes }
      guard command.parameter == 0 else { return StatusWord.incorrectParameters.bytes }
      return core.receive(code: command.ins, parameters: command.data).bytes
    case Self.interindustryClass: return core.process(command)
    // Native commands are only accepted in wrapped form (8.3).
    default: return StatusWord.classNotSupported.bytes
    }
  }
}

extension VirtualTag {
  /// Returns an NTAG 424 DNA as on delivery: an empty NDEF tag.
  public static func ntag424(uid: [UInt8]? = nil) -> VirtualTag { VirtualTag(NTAG424(uid: uid)) }

  /// Returns an NTAG 424 DNA with an NDEF message.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func ntag424(
    uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try NTAG424(uid: uid, ndef: ndef))
  }
}
