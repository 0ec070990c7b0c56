/// A tag that a reader has found.
///
/// A tag is of one connection: once it has left, the reader has gone, or polling has started again,
/// every call throws `tagConnectionLost` or the cause. It never talks to another tag by mistake.
public protocol Tag: Sendable {
  /// The UID, IDm, PUPI or serial number, most significant byte first.
  var identifier: [UInt8] { get }
  /// How the tag and the reader talk.
  var technology: TagTechnology { get }
  /// Whether commands can still reach the tag, as far as is known without asking it.
  var isAvailable: Bool { get async }

  /// Makes this the tag that the reader talks to: wakes it, and puts the one before to sleep.
  ///
  /// At most one activation over the air; none if the tag is connected already.
  ///
  /// - Throws: `tagConnectionLost` if it is no longer there.
  func connect() async throws
}

/// A type A tag of the MIFARE or NTAG families.
public protocol MiFareTag: NDEFTag {
  var family: MiFareFamily { get }
  /// Two bytes, most significant first.
  var atqa: [UInt8] { get }
  var sak: UInt8 { get }
  /// The answer to select without its length; empty below ISO/IEC 14443-4.
  var ats: [UInt8] { get }
  /// What follows the interface bytes of ``ats``.
  var historicalBytes: [UInt8] { get }

  /// Which chip it is; `nil` if that cannot be told.
  ///
  /// Costs GET_VERSION and, for chips without it, one or two further commands, the first time it is
  /// asked while the tag is connected.
  func product() async throws -> TagProduct?

  /// Sends a command of the chip's own: one exchange.
  ///
  /// Ultralight and NTAG: the command without CRC_A, for instance `30 04`; the answer without CRC_A,
  /// or the single byte `0A` for an acknowledge. DESFire, Plus: the native command, inside the
  /// blocks of ISO/IEC 14443-4; on a PC/SC reader, which carries APDUs alone, a DESFire's goes in one.
  /// Classic: `60` or `61`, block and key (the UID is added), then `30`, `A0`, `B0`, `C0` to `C2` as
  /// the data sheet has them with the operand in the same command.
  ///
  /// - Throws: `unsupported` for a command that this reader does not carry, with what it lacks
  ///   (``ReaderCapabilities/commandPaths``); `tagRefused` with the NAK; `tagResponseError` for no or a broken answer;
  ///   `commandTooLong`; `authenticationFailed` for a wrong key.
  func sendMiFareCommand(_ command: [UInt8]) async throws -> [UInt8]

  /// Sends a command in the form of ISO/IEC 7816-4, for tags that speak ISO/IEC 14443-4.
  ///
  /// - Throws: `unsupported` on other tags.
  func sendCommand(_ command: APDU) async throws -> ResponseAPDU

  /// The card as one that takes commands of ISO/IEC 7816-4, with all that ``ISO7816Tag`` can do; `nil` for a
  /// tag that does not speak ISO/IEC 14443-4.
  var iso7816: (any ISO7816Tag)? { get }

  /// Sends a command in the form of ISO/IEC 7816-4, and does what it takes for the whole answer, as
  /// ``ISO7816Tag/sendCommand(_:options:)``. Frames that a DESFire announces by 91AF are commands of their own
  /// and are left to the program.
  ///
  /// - Throws: `unsupported` on tags without ISO/IEC 14443-4.
  func sendCommand(_ command: APDU, options: APDUOptions) async throws -> ResponseAPDU

  /// The commands of MIFARE Classic; `nil` on other tags.
  var classic: MiFareClassicCommands? { get }

  /// The commands of MIFARE Ultralight and NTAG 2xx; `nil` on other tags.
  var ultralight: UltralightCommands? { get }
}

/// The families that MIFARE is told apart into.
public enum MiFareFamily: String, Hashable, Sendable {
  case classic
  /// Ultralight and NTAG 2xx.
  case ultralight
  case plus
  case desfire
  case unknown
}

/// A smart card: ISO/IEC 14443-4 with the commands of ISO/IEC 7816-4.
public protocol ISO7816Tag: NDEFTag {
  /// Type A: what the answer to select says of the card. Empty for type B.
  var historicalBytes: [UInt8] { get }
  /// Type B: four bytes of the answer to request; `nil` for type A.
  var applicationData: [UInt8]? { get }
  /// Type B: three bytes of the answer to request; `nil` for type A.
  var protocolInfo: [UInt8]? { get }
  /// Type A: ATQA, most significant byte first; `nil` for type B.
  var atqa: [UInt8]? { get }
  /// Type A: SAK; `nil` for type B.
  var sak: UInt8? { get }
  /// Type A: the answer to select without its length; `nil` for type B.
  var ats: [UInt8]? { get }

  /// Which chip it is, for the NTAG 4xx; `nil` for any other card. Was learned when the card was found.
  func product() async throws -> TagProduct?

  /// Sends a command: one exchange with the reader, whatever the status word.
  ///
  /// - Throws: `commandTooLong` for more than the reader carries; `tagConnectionLost`.
  func sendCommand(_ command: APDU) async throws -> ResponseAPDU

  /// Sends a command, and does what it takes for the whole answer.
  ///
  /// What the reader does not carry goes in parts, extended length turned into short ones. What a card
  /// does with the parts that it has got when a chain breaks off is its own affair: begin anew with SELECT.
  /// A wait that the card asks for and a block that is lost between reader and card are the chip's; libnfc
  /// tells of neither, but a chain that fails in the end, by the chip's status as the cause.
  ///
  /// - Parameter options: `.automatic`, or `.raw` for one exchange and the card's own status word.
  /// - Returns: all data, and the last status word, whatever it is.
  /// - Throws: `unsupported` with the status word if the card does not take a long command in parts;
  ///   `commandTooLong`; `tagResponseError`; `tagConnectionLost`.
  func sendCommand(_ command: APDU, options: APDUOptions) async throws -> ResponseAPDU

  /// Selects applications by their names in the given order; the first that answers is kept.
  ///
  /// - Throws: `wrongTag` if none is there; the reason names each with its status word.
  func selectApplication(of aids: [ApplicationIdentifier]) async throws -> SelectedApplication

  /// Reads a file without structure in as few READ BINARY as reader and card allow; asks for less at once
  /// where the card refuses, and remembers that while it is connected.
  ///
  /// - Parameters:
  ///   - file: its identifier; `nil` for the one that is selected.
  ///   - offset: 0 to 16 777 215.
  ///   - count: `nil` for all to the end.
  /// - Returns: fewer bytes than `count` if the file ends before.
  /// - Throws: `tagRefused` or `notAuthenticated` with the status word.
  func readBinary(file: UInt16?, offset: Int, count: Int?) async throws -> [UInt8]
}

/// A FeliCa card.
public protocol FeliCaTag: NDEFTag {
  /// Eight bytes.
  var idm: [UInt8] { get }
  /// Eight bytes.
  var pmm: [UInt8] { get }
  /// Two bytes, most significant first; empty if the card has not told.
  var systemCode: [UInt8] { get }

  /// Which chip it is, by the IC code in ``pmm``; `nil` if it is not known.
  func product() async throws -> TagProduct?

  /// Sends a command: one exchange.
  ///
  /// - Parameter command: command code and payload, IDm included where the command has one, without
  ///   the length byte and the check.
  /// - Returns: response code and payload, without length byte and check.
  /// - Throws: `tagResponseError` for no or a broken answer; `commandTooLong` above 254 bytes.
  func sendFeliCaCommand(_ command: [UInt8]) async throws -> [UInt8]

  /// The card by another one of its systems: the same connection, with that system's IDm in every command.
  /// No exchange.
  func inSystem(_ system: FeliCaSystem) -> any FeliCaTag

  /// Authentication and memory configuration of FeliCa Lite and Lite-S; `nil` on other cards.
  var lite: FeliCaLiteCommands? { get }

  /// Reads blocks of a service that needs no key, as many an exchange as frame and card allow; what the
  /// card refuses is remembered while it is connected.
  ///
  /// - Parameters:
  ///   - blocks: 0 to 65 535.
  ///   - system: `nil` for the one that the card was found by; see ``systems()``.
  /// - Returns: 16 bytes a block.
  /// - Throws: `tagRefused` with the status flags and the block; `invalidParameter`.
  func readBlocks(
    service: UInt16, blocks: Range<Int>, system: FeliCaSystem?
  ) async throws -> [[UInt8]]

  /// Writes blocks of a service that needs no key, as ``readBlocks(service:blocks:system:)``. Each exchange
  /// is written whole or not at all; those before it stay written.
  ///
  /// - Parameter data: 16 bytes a block.
  func writeBlocks(
    service: UInt16, firstBlock: Int, data: [[UInt8]], system: FeliCaSystem?
  ) async throws
}

/// A vicinity tag: ISO/IEC 15693.
public protocol ISO15693Tag: NDEFTag {
  /// The second byte of the UID: who made the chip (ISO/IEC 7816-6).
  var icManufacturerCode: UInt8 { get }
  /// The last six bytes of the UID.
  var icSerialNumber: [UInt8] { get }
  /// The data storage format identifier of the inventory; `nil` if the reader has not told.
  var dsfid: UInt8? { get }

  /// Which chip it is, by its UID; `nil` if it is not known. No exchange.
  func product() async throws -> TagProduct?

  /// Sends a request as it is: one exchange.
  ///
  /// - Parameters:
  ///   - request: flags, command, the maker's code or UID where the flags say so, parameters; without
  ///     the check.
  ///   - timeout: for the answer.
  /// - Returns: the answer as it is, flags first, error answers included.
  /// - Throws: `tagResponseError` for no or a broken answer; `unsupported` on a reader that takes no
  ///   such request; `commandTooLong`.
  func transceive(_ request: [UInt8], timeout: Duration) async throws -> [UInt8]

  /// Sends one command, addressed to this tag, and gives the answer. Every command of the standard is an
  /// ``ISO15693Command``; those that lock cannot be undone. An inventory is for all tags; a reader that
  /// sends no lone end of frame hears the answer to one slot, so it needs `inventoryOneSlot`.
  ///
  /// - Parameter flags: what the request has besides the flags that it needs. With `select` it is for
  ///   the selected tag, and not addressed.
  /// - Throws: the tag's refusal with the cause `iso15693`; `commandTooLong`; `unsupported` on a reader
  ///   that carries no such command.
  func exchange(
    _ command: ISO15693Command, flags: ISO15693RequestFlags
  ) async throws -> ISO15693Response

  /// What the tag tells of itself; asked once while it is connected.
  ///
  /// - Throws: `unsupported` if it tells nothing, or if the reader cannot ask it.
  func systemInformation() async throws -> ISO15693SystemInformation

  /// Reads blocks by the fewest commands that tag and reader grant.
  ///
  /// - Parameter securityStatus: asks for each block's lock too.
  /// - Throws: `invalidParameter` before anything is sent for blocks that the tag does not have as far
  ///   as is known; a refusal with the block.
  func readBlocks(_ range: Range<Int>, securityStatus: Bool) async throws -> [ISO15693Block]

  /// Whether blocks are locked: a byte a block, bit 0 set if so.
  func securityStatus(_ range: Range<Int>) async throws -> [UInt8]

  /// Writes whole blocks. After a silence they are read back before they are sent again.
  ///
  /// - Throws: `invalidParameter` before anything is written for data that are not whole blocks, or
  ///   blocks that the tag does not have; `readOnly` with the number of a locked block.
  func writeBlocks(at first: Int, _ data: [UInt8]) async throws

  /// Makes one block read-only for good. **Cannot be undone.**
  func lockBlock(_ number: Int) async throws
}

extension ISO15693Tag {
  /// Reads blocks; see ``readBlocks(_:securityStatus:)``.
  public func readBlocks(_ range: Range<Int>) async throws -> [ISO15693Block] {
    try await readBlocks(range, securityStatus: false)
  }

  /// Sends one command, addressed to this tag, and gives what follows the flags of the answer; see
  /// ``exchange(_:flags:)``.
  public func send(
    _ command: ISO15693Command, flags: ISO15693RequestFlags = []
  ) async throws -> [UInt8] {
    try await exchange(command, flags: flags).payload
  }
}
