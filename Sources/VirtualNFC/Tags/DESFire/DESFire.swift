import SwiftNFCCore

/// A card of the MIFARE DESFire family, or an NTAG DNA chip with the same commands.
///
/// It accepts native commands, or commands wrapped in APDUs of class 90 and commands of ISO/IEC 7816-4: the first
/// command after its activation decides which. With the latter, a program selects applications and files, reads and
/// writes a card that is formatted as an NFC Forum Type 4 tag, and, of a DESFire EV1 or later, authenticates and reads
/// and appends records.
///
/// All native authentications work, with the secure messaging that follows from them, and all kinds of
/// files. EV2 and EV3 have delegated applications and RestoreTransfer. Files of an EV3 can have Secure Dynamic
/// Messaging: the card inserts its UID, a counter, encrypted data and a MAC when they are read without authentication,
/// like an NTAG 424 DNA.
///
/// No public source describes all statuses with which these commands are refused. The statuses of delegated
/// applications, of RestoreTransfer, of Secure Dynamic Messaging and of the ISO/IEC 7816-4 authentication are not
/// confirmed, nor is the numbering of records in READ RECORD, and what FormatPICC does to slots; here, it removes them.
/// The keys of NXP's own service (18 to 1A) are not supported.
///
/// UPDATE RECORD (DC and DD, and the native commands BA and DB), files that map MIFARE Classic blocks, limits of
/// transactions, and options of SetConfiguration other than 00, 01, 02, 05 and 09 are not supported. With LRP, a
/// DESFire Light computes transaction codes as with AES, which differs from the real chip: no public source has an
/// example. The dynamic messages of NTAG 413 DNA are not supported, because no public source describes their settings.
public struct DESFire: VirtualChip {
  /// The product.
  public let model: DESFireModel
  private(set) var interface: ProximityInterface
  private(set) var picc: DESFirePICC
  private var form = DESFireForm()

  /// - Parameters:
  ///   - uid: 7 bytes; `nil` for the model's own.
  ///   - formatted: whether it is an NFC Forum Type 4 tag without a message. `false` creates the
  ///     card as on delivery; an NTAG DNA is a Type 4 tag on delivery.
  ///   - signature: the answer to Read_Sig, 56 bytes; `nil` for the genuine one of the model's UID,
  ///     and zeros with any other UID.
  public init(
    _ model: DESFireModel = .ev1, uid: [UInt8]? = nil, formatted: Bool = true,
    signature: [UInt8]? = nil
  ) {
    self.init(model, uid, message: [], formatted: formatted, signature: signature)
  }

  /// Creates an NFC Forum Type 4 tag with a message.
  ///
  /// - Parameters:
  ///   - ndef: the message, or its bytes. For the other parameters see
  ///     ``init(_:uid:formatted:signature:)``.
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public init(
    _ model: DESFireModel = .ev1, uid: [UInt8]? = nil, ndef: some TagMessage,
    signature: [UInt8]? = nil
  ) throws(VirtualTagError) {
    let capacity = model.ndefFileSize - 2
    let message = ndef.encodedMessage
    guard message.count <= capacity else { throw .messageTooLarge(capacity: capacity) }
    self.init(model, uid, message: message, formatted: true, signature: signature)
  }

  /// - Parameter message: a message that fits.
  private init(
    _ model: DESFireModel, _ uid: [UInt8]?, message: [UInt8], formatted: Bool,
    signature: [UInt8]?
  ) {
    self.model = model
    let uid = uid ?? model.defaultUID
    interface = Self.interface(model, uid: uid, ats: model.ats)
    picc = DESFirePICC(
      model: model, uid: uid,
      signature: signature ?? (uid == model.defaultUID ? model.signature : nil),
      applications: model.applications(
        formatted: formatted,
        ndef: UInt16(message.count).bigEndianBytes + message))
  }

  /// Returns the card's interface. The values were recorded from cards with DESFire's full command set:
  /// bit 6 is set in the SAK of the first level too.
  private static func interface(
    _ model: DESFireModel, uid: [UInt8], ats: [UInt8]
  ) -> ProximityInterface {
    ProximityInterface(
      typeA: uid, atqa: [0x44, 0x03], sakOfCascade: model.isDESFire ? 0x24 : 0x04, ats: ats)
  }

  public var name: String { model.name }

  public var identifier: [UInt8] { interface.identifier }

  public var modulation: RadioFrame.Modulation { interface.modulation }

  /// The files of all applications, concatenated in the order of their creation.
  public var memory: [UInt8] {
    get { picc.applications.flatMap { $0.files.flatMap(\.content) } }
    set {
      var rest = newValue[...]
      for application in picc.applications.indices {
        for file in picc.applications[application].files.indices {
          let part = rest.prefix(picc.applications[application].files[file].content.count)
          picc.applications[application].files[file].content.replaceSubrange(
            0..<part.count, with: part)
          rest = rest.dropFirst(part.count)
        }
      }
    }
  }

  public var irreversibleState: IrreversibleState { picc.irreversibleState }

  /// The first byte of a random identifier, which a card draws again each time (ISO/IEC 14443-3, 6.5.4).
  private static let randomIdentifier: UInt8 = 0x08

  public mutating func powerOn() {
    if picc.configuration.hasRandomUID || picc.configuration.ats != nil {
      let uid =
        picc.configuration.hasRandomUID ? [Self.randomIdentifier] + picc.random(3) : picc.uid
      interface = Self.interface(model, uid: uid, ats: picc.configuration.ats ?? model.ats)
    }
    interface.powerOn()
    picc.reset()
    form.reset()
  }

  public mutating func powerOff() {
    interface.powerOff()
    picc.reset()
    form.reset()
  }

  public mutating func receive(_ frame: RadioFrame) -> RadioFrame? {
    let wasActivated = interface.isActivated
    switch interface.receive(frame) {
    case .handled(let answer):
      if wasActivated, !interface.isActivated {
        picc.reset()
        form.reset()
      }
      return answer
    case .command(let command):
      return interface.respond(form.refusal(of: command) ?? process(command))
    }
  }

  // MARK: Commands

  /// The class of a native command wrapped in an APDU. The first byte of its status word is 91.
  private static let wrappedClass: UInt8 = 0x90
  private static let wrappedStatus: UInt8 = 0x91
  private static let interindustryClass: UInt8 = 0x00

  /// Executes a command, native or APDU, and returns the answer, without the radio layer.
  package mutating func process(_ bytes: [UInt8]) -> [UInt8] {
    guard let first = bytes.first else { return [] }
    switch first {
    case Self.wrappedClass:
      guard let command = CommandAPDU(bytes) else { return StatusWord.wrongLength.bytes }
      guard command.parameter == 0 else { return StatusWord.incorrectParameters.bytes }
      let answer = picc.receive(code: command.ins, parameters: command.data)
      return answer.data + [Self.wrappedStatus, answer.status.code]
    case Self.interindustryClass:
      guard let command = CommandAPDU(bytes) else { return StatusWord.wrongLength.bytes }
      return picc.process(command)
    default:
      let answer = picc.receive(code: first, parameters: Array(bytes.dropFirst()))
      return [answer.status.code] + answer.data
    }
  }
}

extension VirtualTag {
  /// Returns a MIFARE DESFire card, or an NTAG DNA chip; see ``DESFireModel``.
  ///
  /// - Parameters:
  ///   - uid: 7 bytes; `nil` for the model's own.
  ///   - formatted: `false` for a card as on delivery.
  public static func desfire(
    _ model: DESFireModel = .ev1, uid: [UInt8]? = nil, formatted: Bool = true
  ) -> VirtualTag {
    VirtualTag(DESFire(model, uid: uid, formatted: formatted))
  }

  /// Returns a MIFARE DESFire card, or an NTAG DNA chip, with an NDEF message.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func desfire(
    _ model: DESFireModel = .ev1, uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try DESFire(model, uid: uid, ndef: ndef))
  }
}
