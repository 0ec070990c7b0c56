/// The information that a tag reports about itself (ISO/IEC 15693-3, 10.4.12; edition of 2018,
/// 10.4.28).
public struct ISO15693SystemInformation: Hashable, Sendable {
  /// The UID, most significant byte first.
  public var uid: [UInt8]
  /// The data storage format identifier; `nil` if the tag does not report it.
  public var dsfid: UInt8?
  /// The application family identifier; `nil` if the tag does not report it.
  public var afi: UInt8?
  /// The size of a block in bytes, 1 to 32.
  public var blockSize: Int?
  /// The number of blocks; `nil` if the tag does not report it.
  public var blockCount: Int?
  /// The IC reference, whose meaning the maker defines; `nil` if the tag does not report it.
  public var icReference: UInt8?
  /// Whether block numbers need two bytes; only the extended command reports it.
  public var needsWideBlockNumbers: Bool?
  /// The commands that the tag supports; only the extended command reports it.
  public var commandList: ISO15693CommandList?

  /// Creates the information.
  public init(
    uid: [UInt8], dsfid: UInt8? = nil, afi: UInt8? = nil, blockSize: Int? = nil,
    blockCount: Int? = nil, icReference: UInt8? = nil, needsWideBlockNumbers: Bool? = nil,
    commandList: ISO15693CommandList? = nil
  ) {
    self.uid = uid
    self.dsfid = dsfid
    self.afi = afi
    self.blockSize = blockSize
    self.blockCount = blockCount
    self.icReference = icReference
    self.needsWideBlockNumbers = needsWideBlockNumbers
    self.commandList = commandList
  }

  // The information flags.
  private static let dsfidFlag: UInt8 = 0x01
  private static let afiFlag: UInt8 = 0x02
  private static let memoryFlag: UInt8 = 0x04
  private static let icReferenceFlag: UInt8 = 0x08
  private static let addressingFlag: UInt8 = 0x10
  private static let commandListFlag: UInt8 = 0x20
  private static let moreFlags: UInt8 = 0x80
  /// Five bits of the size field are significant (ISO/IEC 15693-3, 10.4.12).
  private static let sizeMask: UInt8 = 0x1F

  /// The form of the memory's size in the answer.
  package enum Form: Hashable, Sendable {
    /// Get system information: a one-byte count.
    case ordinary
    /// Get system information with the protocol extension flag: a two-byte count (ST).
    case protocolExtension
    /// Extended get system information.
    case extended
  }

  /// Parses the bytes after the flags of the answer.
  ///
  /// - Throws: `tagResponseError` if bytes are missing. More of them are no error: some chips add.
  package init(decoding payload: [UInt8], form: Form) throws {
    do {
      self = try Self.decode(payload, form)
    } catch {
      throw NFCError(.tagResponseError, "the tag's system information is cut off")
    }
  }

  private static func decode(
    _ payload: [UInt8], _ form: Form
  ) throws -> ISO15693SystemInformation {
    var rest = Fields(payload)
    let flags = try rest.byte()
    if form == .extended, flags & moreFlags != 0 { _ = try rest.byte() }
    var information = ISO15693SystemInformation(
      uid: try rest.bytes(ISO15693Request.uidLength).reversed())
    if flags & dsfidFlag != 0 { information.dsfid = try rest.byte() }
    if flags & afiFlag != 0 { information.afi = try rest.byte() }
    if flags & memoryFlag != 0 {
      information.blockCount = Int(try rest.number(form != .ordinary)) + 1
      information.blockSize = Int(try rest.byte() & sizeMask) + 1
    }
    if flags & icReferenceFlag != 0 { information.icReference = try rest.byte() }
    if form == .extended {
      information.needsWideBlockNumbers = flags & addressingFlag != 0
      if flags & commandListFlag != 0 {
        information.commandList = ISO15693CommandList(bytes: try rest.bytes(4))
      }
    }
    return information
  }

  /// Returns a tag's answer without its flags, with the existing fields and, in the extended form,
  /// `wanted`.
  package func encoded(
    form: Form, wanted: ISO15693SystemInformationFields = .standard
  ) -> [UInt8] {
    var flags: UInt8 = 0
    var fields: [UInt8] = []
    let isExtended = form == .extended
    func has(_ field: ISO15693SystemInformationFields) -> Bool {
      !isExtended || wanted.contains(field)
    }
    if let dsfid, has(.dsfid) {
      flags |= Self.dsfidFlag
      fields.append(dsfid)
    }
    if let afi, has(.afi) {
      flags |= Self.afiFlag
      fields.append(afi)
    }
    if let blockSize, let blockCount, has(.memorySize) {
      flags |= Self.memoryFlag
      let last = UInt16(truncatingIfNeeded: blockCount - 1)
      fields.append(UInt8(last & 0xFF))
      if form != .ordinary { fields.append(UInt8(last >> 8)) }
      fields.append(UInt8(truncatingIfNeeded: blockSize - 1) & Self.sizeMask)
    }
    if let icReference, has(.icReference) {
      flags |= Self.icReferenceFlag
      fields.append(icReference)
    }
    if isExtended, needsWideBlockNumbers == true, has(.addressing) { flags |= Self.addressingFlag }
    if isExtended, let commandList, has(.commandList) {
      flags |= Self.commandListFlag
      fields += commandList.bytes
    }
    return [flags] + uid.reversed() + fields
  }
}

/// The commands that a tag supports, as extended get system information lists them (RFAL,
/// `rfal_nfcv.h`).
public struct ISO15693CommandList: Hashable, Sendable {
  /// The four bytes of the list, in the order in which they are sent over the air.
  public let bytes: [UInt8]

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// The command of each bit, starting with the least significant one of the first byte; `nil` is a
  /// command of the maker or unknown.
  private static let codes: [UInt8?] = [
    0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x2C,
    0x27, 0x28, 0x29, 0x2A, 0x2B, nil, 0x2D, nil,
    0x30, 0x31, 0x32, 0x33, 0x34, 0x3C, 0x3D, nil,
  ]

  /// Returns whether the list contains a command; `nil` if it has no bit for it.
  public func contains(_ code: UInt8) -> Bool? {
    guard let bit = Self.codes.firstIndex(of: code), bit / 8 < bytes.count else { return nil }
    return bytes[bit / 8] >> (bit % 8) & 1 != 0
  }
}
