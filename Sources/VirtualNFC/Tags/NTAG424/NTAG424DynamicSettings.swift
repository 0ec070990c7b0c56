import SwiftNFCCore

/// The data that an NTAG 424 DNA inserts into its NDEF file in reads without authentication (Secure
/// Dynamic Messaging; NT4H2421Gx data sheet, 9.3 and 10.7.1), and a DESFire EV3 into a file of standard data, with the
/// same bytes (NXP's reader library; liblogicalaccess).
struct NTAG424DynamicSettings: Hashable, Sendable {
  /// The bits of SDMOptions (table 69).
  enum Option {
    static let uid: UInt8 = 0x80
    static let counter: UInt8 = 0x40
    static let counterLimit: UInt8 = 0x20
    static let fileData: UInt8 = 0x10
    static let reserved: UInt8 = 0x0E
    static let ascii: UInt8 = 0x01
  }

  /// The number of characters of each part (tables 20 and 69).
  enum Length {
    static let uid = 14
    static let counter = 6
    static let piccData = 32
    /// PICCData with PICCRand before it (9.3.4.2).
    static let piccDataOfLRP = 48
    static let mac = 16
    static let fileDataUnit = 32
  }

  /// SDMReadCtrOffset for a counter that counts but is not mirrored.
  static let notMirrored = 0xFF_FFFF

  let options: UInt8
  let accessRights: UInt16
  /// The number of keys that the file's application has.
  let keyCount: UInt8
  var uidOffset: Int?
  var counterOffset: Int?
  var piccDataOffset: Int?
  var macInputOffset: Int?
  var fileDataOffset: Int?
  var fileDataLength: Int?
  var macOffset: Int?
  var counterLimit: Int?

  /// SDMMetaRead: a key, E plain, F none.
  var metaRead: UInt8 { UInt8(accessRights >> 12) }
  /// SDMFileRead: a key, F none.
  var fileRead: UInt8 { UInt8(accessRights >> 8 & 0x0F) }
  /// SDMCtrRet: the access condition for reading the counter.
  var counterRetrieval: UInt8 { UInt8(accessRights & 0x0F) }

  var mirrorsUID: Bool { options & Option.uid != 0 }
  var counts: Bool { options & Option.counter != 0 }
  var mirrorsCounter: Bool { counts && counterOffset != Self.notMirrored }
  var metaReadKey: Int? { metaRead < keyCount ? Int(metaRead) : nil }
  var fileReadKey: Int? { fileRead < keyCount ? Int(fileRead) : nil }
  var isPlain: Bool { metaRead == NTAG424File.Access.free }

  /// Parses SDMOptions, SDMAccessRights and the offsets that belong to them.
  ///
  /// - Parameter counter: SDMReadCtr; a limit must be above it.
  init(
    _ bytes: [UInt8], fileSize: Int, isLRP: Bool, counter: UInt32,
    keyCount: UInt8 = NTAG424File.Access.lastKey + 1
  ) throws(NTAG424Status) {
    guard bytes.count >= 3 else { throw .lengthError }
    self.keyCount = keyCount
    options = bytes[0]
    accessRights = UInt16(bytes[1]) | UInt16(bytes[2]) << 8
    var rest = bytes.dropFirst(3)
    func number(_ isThere: Bool) throws(NTAG424Status) -> Int? {
      guard isThere else { return nil }
      guard rest.count >= 3 else { throw .lengthError }
      let value = rest.prefix(3).reversed().reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(3)
      return value
    }
    uidOffset = try number(mirrorsUID && isPlain)
    counterOffset = try number(counts && isPlain)
    piccDataOffset = try number(metaReadKey != nil)
    let hasMAC = fileRead != NTAG424File.Access.never
    macInputOffset = try number(hasMAC)
    fileDataOffset = try number(hasMAC && options & Option.fileData != 0)
    fileDataLength = try number(hasMAC && options & Option.fileData != 0)
    macOffset = try number(hasMAC)
    counterLimit = try number(options & Option.counterLimit != 0)
    guard rest.isEmpty else { throw .lengthError }
    guard isAllowed(fileSize: fileSize, isLRP: isLRP, counter: Int(counter)) else {
      throw .parameterError
    }
  }

  /// Returns whether the settings are valid (tables 69 and 71).
  private func isAllowed(fileSize: Int, isLRP: Bool, counter: Int) -> Bool {
    let never = NTAG424File.Access.never
    guard options & Option.reserved == 0, options & Option.ascii != 0,
      isCondition(metaRead), isCondition(counterRetrieval),
      fileReadKey != nil || fileRead == never, accessRights >> 4 & 0x0F == UInt16(never)
    else { return false }
    // The settings must mirror a value, and a counter requires an access condition.
    guard metaRead == never || mirrorsUID || counts, metaRead != never || !mirrorsUID,
      counterRetrieval == never || counts
    else { return false }
    if options & Option.fileData != 0 {
      guard fileReadKey != nil, mirrorsUID, counts else { return false }
    }
    if let counterLimit {
      guard counts, counterLimit > counter else { return false }
    }
    return placesAreAllowed(fileSize: fileSize, isLRP: isLRP)
  }

  /// Returns whether a half byte stands for an existing key, everybody or nobody.
  private func isCondition(_ value: UInt8) -> Bool {
    value < keyCount || value == NTAG424File.Access.free || value == NTAG424File.Access.never
  }

  private func placesAreAllowed(fileSize: Int, isLRP: Bool) -> Bool {
    var places: [Range<Int>] = []
    func take(_ offset: Int?, _ length: Int) {
      if let offset { places.append(offset..<offset + length) }
    }
    take(uidOffset, Length.uid)
    if counterOffset != Self.notMirrored { take(counterOffset, Length.counter) }
    take(piccDataOffset, isLRP ? Length.piccDataOfLRP : Length.piccData)
    take(macOffset, Length.mac)
    if let fileDataOffset, let fileDataLength {
      guard fileDataLength > 0, fileDataLength % Length.fileDataUnit == 0,
        let macInputOffset, macInputOffset <= fileDataOffset,
        let macOffset, fileDataOffset + fileDataLength <= macOffset
      else { return false }
      take(fileDataOffset, fileDataLength)
    }
    if let macInputOffset, let macOffset, macInputOffset > macOffset { return false }
    for (index, place) in places.enumerated() {
      guard place.upperBound <= fileSize else { return false }
      guard !places.dropFirst(index + 1).contains(where: { $0.overlaps(place) }) else {
        return false
      }
    }
    return true
  }

  var encoded: [UInt8] {
    let numbers = [
      uidOffset, counterOffset, piccDataOffset, macInputOffset, fileDataOffset, fileDataLength,
      macOffset, counterLimit,
    ]
    return [options] + accessRights.littleEndianBytes
      + numbers.compactMap { $0 }.flatMap { number in
        [0, 8, 16].map { UInt8(truncatingIfNeeded: number >> $0) }
      }
  }
}
