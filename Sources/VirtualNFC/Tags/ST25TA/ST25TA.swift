import SwiftNFCCore

/// The NDEF application of an ST25TA02K, whose file has two passwords.
///
/// Source: data sheet of its predecessor SRTAG2K-D (DocID025446 rev. 3) and SRTAG2KL (DocID026583 rev.
/// 2), 3.1 to 3.4, 5.7 and 5.8; the state of the access rights is also from ST's NFC SDK. The counter and
/// the general purpose output are not modeled. Three facts are not confirmed: the status word after
/// 63C0; that passwords may be changed while no access requires them; that the signature of an ST25TA02KB
/// is separate from its file and requires the right to read that file.
struct ST25TAApplication: VirtualApplet {
  private enum File {
    static let system: UInt16 = 0xE101
    static let container: UInt16 = 0xE103
    static let ndef: UInt16 = 0x0001
  }

  private enum Code {
    static let verify: UInt8 = 0x20
    static let changeReferenceData: UInt8 = 0x24
    static let disableVerification: UInt8 = 0x26
    static let enableVerification: UInt8 = 0x28
    static let proprietaryClass: UInt8 = 0xA2
    static let enablePermanentState: UInt8 = 0x28
    static let extendedReadBinary: UInt8 = 0xB0
  }

  /// The offset of the signature for EXTENDED READ BINARY (Proxmark3, cmdhfst25ta.c).
  private static let signatureOffset = 0xE0

  /// The access conditions for reading and writing in the capability container.
  private enum Access {
    static let free: UInt8 = 0x00
    static let password: UInt8 = 0x80
    static let noRead: UInt8 = 0xFE
    static let noWrite: UInt8 = 0xFF
  }

  static let fileSize = 256
  static let passwordLength = 16
  /// The number of attempts in each session.
  private static let attempts = 3
  /// MLe and MLc (DocID027801: 255 bytes are read at once, 54 written).
  private static let maximumRead = 255
  private static let maximumUpdate = 54

  let aid: [UInt8] = [0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01]
  private let uid: [UInt8]
  private let signature: [UInt8]?

  // The persistent state.
  private(set) var content: [UInt8]
  /// The access conditions for reading (0) and writing (1).
  private(set) var access: [UInt8] = [Access.free, Access.free]
  private(set) var passwords = [[UInt8]](
    repeating: [UInt8](repeating: 0, count: passwordLength), count: 2)

  // The state of a session.
  private var currentFile: UInt16?
  private var isVerified = [false, false]
  private var attemptsLeft = [attempts, attempts]

  /// - Parameter signature: 32 bytes; `nil` for a chip without one.
  init(uid: [UInt8], ndef: [UInt8], signature: [UInt8]? = nil) {
    self.uid = uid
    self.signature = signature
    let length = UInt16(ndef.count).bigEndianBytes
    content = length + ndef
    content += [UInt8](repeating: 0, count: Self.fileSize - content.count)
  }

  var memory: [UInt8] {
    get { content }
    set {
      content.replaceSubrange(
        0..<min(content.count, newValue.count), with: newValue.prefix(content.count))
    }
  }

  var irreversibleState: IrreversibleState {
    var state = IrreversibleState()
    if access[0] == Access.noRead { state.add(.accessRights, place: 0) }
    if access[1] == Access.noWrite { state.add(.accessRights, place: 1) }
    return state
  }

  mutating func select() -> [UInt8] {
    forget()
    return StatusWord.success.bytes
  }

  mutating func deselect() { forget() }

  private mutating func forget() {
    currentFile = nil
    isVerified = [false, false]
    attemptsLeft = [Self.attempts, Self.attempts]
  }

  // MARK: Commands

  mutating func process(_ apdu: [UInt8]) -> [UInt8] {
    guard let command = CommandAPDU(apdu) else { return StatusWord.wrongLength.bytes }
    switch (command.cla, command.ins) {
    case (0x00, Instruction.select): return selectFile(command)
    case (0x00, Instruction.readBinary): return readBinary(command)
    case (0x00, Instruction.updateBinary): return updateBinary(command).bytes
    case (0x00, Code.verify): return verify(command).bytes
    case (0x00, Code.changeReferenceData): return changeReferenceData(command).bytes
    case (0x00, Code.enableVerification): return change(command, to: Access.password).bytes
    case (0x00, Code.disableVerification): return change(command, to: Access.free).bytes
    case (Code.proprietaryClass, Code.enablePermanentState):
      return change(command, to: nil).bytes
    case (Code.proprietaryClass, Code.extendedReadBinary): return extendedReadBinary(command)
    case (0x00, _): return StatusWord.instructionNotSupported.bytes
    default: return StatusWord.classNotSupported.bytes
    }
  }

  /// Selects a file, which ends the rights of the session (3.3).
  private mutating func selectFile(_ command: CommandAPDU) -> [UInt8] {
    guard command.p1 == Parameter.selectFile, command.p2 == Parameter.noAnswerData,
      command.data.count == 2
    else { return StatusWord.incorrectParameters.bytes }
    let identifier = UInt16(command.data[0]) << 8 | UInt16(command.data[1])
    guard [File.system, File.container, File.ndef].contains(identifier) else {
      return StatusWord.fileNotFound.bytes
    }
    currentFile = identifier
    isVerified = [false, false]
    return StatusWord.success.bytes
  }

  private var container: [UInt8] {
    [0x00, 0x0F, 0x20] + UInt16(Self.maximumRead).bigEndianBytes
      + UInt16(Self.maximumUpdate).bigEndianBytes + [0x04, 0x06] + File.ndef.bigEndianBytes
      + UInt16(Self.fileSize).bigEndianBytes + access
  }

  /// The system file: length, product version, reserved, counter, UID, memory size, product code.
  private var system: [UInt8] {
    [0x00, 0x12, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00] + uid
      + UInt16(Self.fileSize - 1).bigEndianBytes + [uid[1]]
  }

  private func allows(_ right: Int) -> Bool {
    access[right] == Access.free || access[right] == Access.password && isVerified[right]
  }

  private func readBinary(_ command: CommandAPDU) -> [UInt8] {
    let file: [UInt8]
    switch currentFile {
    case File.system?: file = system
    case File.container?: file = container
    case File.ndef?:
      guard allows(0) else { return StatusWord.securityStatusNotSatisfied.bytes }
      file = content
    default: return StatusWord.commandNotAllowed.bytes
    }
    let start = command.parameter
    guard start < file.count else { return StatusWord.wrongParameters.bytes }
    guard command.expectedLength > 0,
      command.expectsMaximum || command.expectedLength <= Self.maximumRead
    else { return StatusWord.wrongLength.bytes }
    return Array(file[start..<min(file.count, start + command.expectedLength)])
      + StatusWord.success.bytes
  }

  /// Reads the file, including the bytes after the message (M24SR64 data sheet, 5.8.1).
  private func extendedReadBinary(_ command: CommandAPDU) -> [UInt8] {
    guard let signature, command.parameter == Self.signatureOffset, currentFile == File.ndef else {
      return readBinary(command)
    }
    guard allows(0) else { return StatusWord.securityStatusNotSatisfied.bytes }
    guard command.expectedLength > 0 else { return StatusWord.wrongLength.bytes }
    return Array(signature.prefix(command.expectedLength)) + StatusWord.success.bytes
  }

  private mutating func updateBinary(_ command: CommandAPDU) -> StatusWord {
    guard currentFile == File.ndef else {
      return currentFile == nil ? .commandNotAllowed : .securityStatusNotSatisfied
    }
    guard allows(1) else { return .securityStatusNotSatisfied }
    guard (1...Self.maximumUpdate).contains(command.data.count) else { return .wrongLength }
    let end = command.parameter + command.data.count
    guard end <= content.count else { return .notEnoughMemory }
    content.replaceSubrange(command.parameter..<end, with: command.data)
    return .success
  }

  // MARK: Passwords (5.7)

  /// Returns the right that a command refers to: 1 for reading, 2 for writing.
  private func right(_ command: CommandAPDU) -> Int? {
    [1, 2].contains(command.parameter) ? command.parameter - 1 : nil
  }

  private mutating func verify(_ command: CommandAPDU) -> StatusWord {
    guard currentFile == File.ndef else { return .conditionsOfUseNotSatisfied }
    guard let right = right(command) else { return .incorrectParameters }
    guard ![Access.noRead, Access.noWrite].contains(access[right]) else {
      return StatusWord(0x6984)
    }
    if command.data.isEmpty {
      return access[right] == Access.free ? .success : .authenticationFailed
    }
    guard command.data.count == Self.passwordLength else { return .incorrectData }
    guard attemptsLeft[right] > 0 else { return StatusWord(0x6983) }
    guard command.data == passwords[right] else {
      isVerified[right] = false
      attemptsLeft[right] -= 1
      return StatusWord(0x63C0 | UInt16(attemptsLeft[right]))
    }
    isVerified[right] = true
    attemptsLeft[right] = Self.attempts
    return .success
  }

  private mutating func changeReferenceData(_ command: CommandAPDU) -> StatusWord {
    guard currentFile == File.ndef else { return .incorrectData }
    guard let right = right(command) else { return .incorrectParameters }
    guard command.data.count == Self.passwordLength else { return .incorrectData }
    guard isVerified[1] else { return .securityStatusNotSatisfied }
    passwords[right] = command.data
    return .success
  }

  /// - Parameter access: the new condition; `nil` for the permanent one.
  private mutating func change(_ command: CommandAPDU, to access: UInt8?) -> StatusWord {
    guard currentFile == File.ndef else { return .incorrectData }
    guard let right = right(command) else { return .incorrectParameters }
    let final = [Access.noRead, Access.noWrite][right]
    guard isVerified[1], self.access[right] != final else { return .securityStatusNotSatisfied }
    self.access[right] = access ?? final
    return .success
  }
}

extension VirtualTag {
  /// The default UID. Its second byte is the product code.
  private static let st25taUID: [UInt8] = [0x02, 0xE2, 0x00, 0x4B, 0x71, 0x90, 0x3D]

  /// Returns an ST25TA02K, 256 bytes, with an empty NDEF message; the passwords are those on delivery.
  ///
  /// - Parameter uid: 7 bytes; `nil` for the chip's own.
  public static func st25ta(uid: [UInt8]? = nil) -> VirtualTag {
    st25ta(uid: uid, content: [])
  }

  /// The UID of a real chip with a published signature.
  private static let st25ta02KBUID: [UInt8] = [0x02, 0xE3, 0x00, 0x2F, 0xCD, 0x40, 0x38]

  /// Returns an ST25TA02KB: an ST25TA02K with ST's signature.
  ///
  /// - Parameter uid: 7 bytes; `nil` for the chip's own, with which it is genuine.
  public static func st25ta02KB(uid: [UInt8]? = nil) -> VirtualTag {
    let uid = uid ?? st25ta02KBUID
    return VirtualTag(
      ISO7816Card(
        name: "st25ta02kb", uid: uid,
        applets: [
          ST25TAApplication(
            uid: uid, ndef: [], signature: OriginalitySignature.signature(uid: uid))
        ]))
  }

  /// Returns an ST25TA02K with an NDEF message of up to 254 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func st25ta(
    uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    let content = ndef.encodedMessage
    let capacity = ST25TAApplication.fileSize - 2
    guard content.count <= capacity else { throw .messageTooLarge(capacity: capacity) }
    return st25ta(uid: uid, content: content)
  }

  private static func st25ta(uid: [UInt8]?, content: [UInt8]) -> VirtualTag {
    let uid = uid ?? st25taUID
    return VirtualTag(
      ISO7816Card(
        name: "st25ta", uid: uid, applets: [ST25TAApplication(uid: uid, ndef: content)]))
  }
}
