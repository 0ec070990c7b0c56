import CSwiftNFCOpenSSL

extension SUNMessage {
  /// Decrypts the message and checks its MAC with one key for every chip.
  ///
  /// - Parameters:
  ///   - metaReadKey: the key that SDMMetaRead names; required only for encrypted PICC data.
  ///   - fileReadKey: the key that SDMFileRead names, or the key of SUNCMAC.
  ///   - macInput: what the MAC covers.
  ///   - mode: `nil` to find out the mode; if UID and counter are readable, only the MAC shows it.
  /// - Throws: ``SUNError``; no content is returned before its MAC has been verified.
  public func verified(
    metaReadKey: SUNKey? = nil, fileReadKey: SUNKey, macInput: SUNMACInput = .automatic,
    mode: SUNMode? = nil
  ) throws(SUNError) -> SUNReading {
    try verified(metaReadKey: metaReadKey, macInput: macInput, mode: mode) { _ in fileReadKey }
  }

  /// Decrypts the message and checks its MAC with an individual key for each chip.
  ///
  /// - Parameter fileReadKey: returns the key of the chip with a UID, which is not verified yet,
  ///   and is `nil` if the link has none; returns `nil` for an unknown chip. For the other
  ///   parameters see ``verified(metaReadKey:fileReadKey:macInput:mode:)``.
  /// - Throws: ``SUNError``; ``SUNError/noKey(_:)`` of the MAC for an unknown chip.
  public func verified(
    metaReadKey: SUNKey? = nil, macInput: SUNMACInput = .automatic, mode: SUNMode? = nil,
    fileReadKey: (_ uid: [UInt8]?) -> SUNKey?
  ) throws(SUNError) -> SUNReading {
    let ranges = try coveredRanges(macInput)
    let modes: [SUNMode]
    let content: PICCDataContent?
    switch piccData {
    case .encrypted(let data):
      guard let found = SUNMode(piccDataSize: data.count), mode ?? found == found else {
        throw .malformed(.piccData, SUNError.Part.piccData.form)
      }
      guard let metaReadKey else { throw .noKey(.piccData) }
      modes = [found]
      content = PICCDataContent(data, found, metaReadKey)
    case .plain(let uid, let counter):
      modes = try plainModes(mode, uid, counter)
      content = PICCDataContent(uid: uid, counter: counter)
    }
    // Without PICC data, everything else is done all the same, so that it takes as long.
    let uid = content == nil ? [UInt8](repeating: 0, count: Self.uidSize) : content?.uid
    let counter = content == nil ? 0 : content?.counter
    guard let key = fileReadKey(uid) else {
      throw content == nil ? .wrongKey(.piccData) : .noKey(.mac)
    }
    var verified: (session: SUNSession, mode: SUNMode, range: Range<Int>)?
    for mode in modes {
      let session = SUNSession(key, mode, uid: uid, counter: counter, tamperStatus: tamperStatus)
      // SUNCMAC covers nothing of the link itself.
      let ranges = mode == .suncmac ? ranges.filter(\.isEmpty) : ranges
      for range in ranges where isEqual(session.authenticationCode(Array(link[range])), mac) {
        verified = (session, mode, range)
      }
    }
    guard content != nil else { throw .wrongKey(.piccData) }
    guard let verified else { throw .wrongMAC }
    var fileData: [UInt8]?
    if let encryptedFileData {
      // The chip has both whenever it encrypts (NT4H2421Gx data sheet, table 71).
      guard uid != nil else { throw .missing(.uid) }
      guard counter != nil else { throw .missing(.counter) }
      fileData = verified.session.decryptFileData(encryptedFileData)
    }
    return SUNReading(
      uid: uid, readCounter: counter, fileData: fileData, mode: verified.mode,
      authenticatedText: String(decoding: link[verified.range], as: UTF8.self),
      tamperStatus: tamperStatus)
  }

  /// Returns the modes in which readable data may have been signed. NTAG 22x DNA always insert UID and counter, and
  /// no other chip inserts the status of a wire.
  private func plainModes(
    _ mode: SUNMode?, _ uid: [UInt8]?, _ counter: UInt32?
  ) throws(SUNError) -> [SUNMode] {
    let canBeSUNCMAC = uid != nil && counter != nil && encryptedFileData == nil
    if mode == .suncmac || tamperStatus != nil {
      guard uid != nil else { throw .missing(.uid) }
      guard counter != nil else { throw .missing(.counter) }
      return canBeSUNCMAC && mode ?? .suncmac == .suncmac ? [.suncmac] : []
    }
    return mode.map { [$0] } ?? [.aes, .lrp] + (canBeSUNCMAC ? [.suncmac] : [])
  }

  /// Compares in a time that does not depend on where the two differ.
  private func isEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    a.count == b.count && CRYPTO_memcmp(a, b, a.count) == 0
  }
}

extension PICCDataContent {
  fileprivate init(uid: [UInt8]?, counter: UInt32?) {
    self.uid = uid
    self.counter = counter
  }
}
