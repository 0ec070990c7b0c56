import SwiftNFCCore

/// The data that an NTAG 424 DNA inserts into its NDEF file when the file is read without
/// authentication (Secure Dynamic Messaging): NT4H2421Gx data sheet, 9.3 and 10.7.1, table 69. A DESFire EV3 has the
/// same for its files of standard data; see ``DESFireApplication/setDynamicMessaging(_:file:)``.
public struct NTAG424DynamicMessaging: Hashable, Sendable {
  /// How UID and read counter appear in the file (SDMMetaRead).
  public enum Identity: Hashable, Sendable {
    /// Neither appears in the file.
    case none
    /// Readable by everyone, 14 and 6 characters at these bytes of the file. A counter at
    /// ``notMirrored`` is counted but does not appear.
    case plain(uidOffset: Int?, counterOffset: Int?)
    /// Encrypted with a key, 32 characters.
    case encrypted(key: Int, offset: Int, hasUID: Bool, hasCounter: Bool)
  }

  /// The MAC over the file (SDMFileRead), 16 characters, and the encrypted data that it covers.
  public struct Authentication: Hashable, Sendable {
    /// The number of the key that makes the MAC.
    public var key: Int
    /// The first byte that the MAC covers.
    public var inputOffset: Int
    /// The first character of the MAC in the file.
    public var offset: Int
    /// The characters of the encrypted file data; the data itself is in their first half.
    public var fileData: Range<Int>?

    /// Creates a MAC with its places in the file.
    public init(key: Int, inputOffset: Int, offset: Int, fileData: Range<Int>? = nil) {
      self.key = key
      self.inputOffset = inputOffset
      self.offset = offset
      self.fileData = fileData
    }
  }

  /// How UID and read counter appear in the file.
  public var identity: Identity
  /// The MAC over the file; `nil` for none.
  public var authentication: Authentication?
  /// Who may read the counter (SDMCtrRet).
  public var counterRetrieval: DESFireAccess
  /// The maximum number of times that the file can be read (SDMReadCtrLimit).
  public var counterLimit: Int?

  /// The offset of a counter that is counted and does not appear in the file.
  public static let notMirrored = 0xFF_FFFF

  /// Creates the settings; without a limit and a MAC unless they are given.
  public init(
    identity: Identity, authentication: Authentication? = nil,
    counterRetrieval: DESFireAccess = .nobody, counterLimit: Int? = nil
  ) {
    self.identity = identity
    self.authentication = authentication
    self.counterRetrieval = counterRetrieval
    self.counterLimit = counterLimit
  }

  // MARK: Encoding

  private enum Option {
    static let uid: UInt8 = 0x80
    static let counter: UInt8 = 0x40
    static let counterLimit: UInt8 = 0x20
    static let fileData: UInt8 = 0x10
    static let ascii: UInt8 = 0x01
  }

  private static let offsetSize = 3
  private static let reservedAccess: UInt16 = 0x00F0

  /// SDMOptions, SDMAccessRights and the offsets that belong to them.
  var encoded: [UInt8] {
    var options = Option.ascii
    var metaRead = DESFireAccess.nobody
    var numbers: [Int] = []
    switch identity {
    case .none: break
    case .plain(let uidOffset, let counterOffset):
      metaRead = .everyone
      if uidOffset != nil { options |= Option.uid }
      if counterOffset != nil { options |= Option.counter }
      numbers += [uidOffset, counterOffset].compactMap { $0 }
    case .encrypted(let key, let offset, let hasUID, let hasCounter):
      metaRead = .key(key)
      if hasUID { options |= Option.uid }
      if hasCounter { options |= Option.counter }
      numbers.append(offset)
    }
    if let authentication {
      numbers.append(authentication.inputOffset)
      if let fileData = authentication.fileData {
        options |= Option.fileData
        numbers += [fileData.lowerBound, fileData.count]
      }
      numbers.append(authentication.offset)
    }
    if let counterLimit {
      options |= Option.counterLimit
      numbers.append(counterLimit)
    }
    let fileRead = authentication.map { DESFireAccess.key($0.key) } ?? .nobody
    let rights =
      UInt16(metaRead.bits) << 12 | UInt16(fileRead.bits) << 8 | Self.reservedAccess
      | UInt16(counterRetrieval.bits)
    return [options] + rights.littleEndianBytes
      + numbers.flatMap { $0.littleEndianBytes(count: Self.offsetSize) }
  }

  /// - Throws: `tagResponseError` for an answer that is too short, or has a right that does not exist.
  init(_ reader: inout ByteReader) throws {
    let options = try reader.byte()
    let rights = UInt16(truncatingIfNeeded: try reader.number(2))
    func access(_ shift: UInt16) -> DESFireAccess {
      DESFireAccess(bits: UInt8(truncatingIfNeeded: rights >> shift))
    }
    func number(_ isThere: Bool) throws -> Int? {
      isThere ? try reader.number(Self.offsetSize) : nil
    }
    let hasUID = options & Option.uid != 0
    let hasCounter = options & Option.counter != 0
    switch access(12) {
    case .nobody: identity = .none
    case .everyone:
      let uidOffset = try number(hasUID)
      identity = .plain(uidOffset: uidOffset, counterOffset: try number(hasCounter))
    case .key(let key):
      identity = .encrypted(
        key: key, offset: try reader.number(Self.offsetSize), hasUID: hasUID,
        hasCounter: hasCounter)
    }
    switch access(8) {
    case .nobody: authentication = nil
    case .everyone:
      throw NFCError(.tagResponseError, "the tag reports a MAC without a key")
    case .key(let key):
      let inputOffset = try reader.number(Self.offsetSize)
      var fileData: Range<Int>?
      if let start = try number(options & Option.fileData != 0) {
        fileData = start..<start + (try reader.number(Self.offsetSize))
      }
      authentication = Authentication(
        key: key, inputOffset: inputOffset, offset: try reader.number(Self.offsetSize),
        fileData: fileData)
    }
    counterRetrieval = access(0)
    counterLimit = try number(options & Option.counterLimit != 0)
  }
}
