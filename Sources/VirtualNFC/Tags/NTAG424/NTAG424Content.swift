import NFCCore

/// The NDEF file as it is read without authentication: NT4H2421Gx data sheet, 9.3.
struct NTAG424Content {
  let file: NTAG424File
  let settings: NTAG424DynamicSettings
  let uid: [UInt8]
  let keys: [[UInt8]]
  /// What fills PICCData up; drawn for the first read of several.
  let padding: [UInt8]

  private enum Label {
    static let authentication: [UInt8] = [0x3C, 0xC3]
    static let encryption: [UInt8] = [0xC3, 0x3C]
  }

  private static let oneKey: [UInt8] = [0x00, 0x01, 0x00, 0x80]
  private static let blockSize = 16

  private var counter: [UInt8] {
    [0, 8, 16].map { UInt8(truncatingIfNeeded: file.readCounter >> $0) }
  }

  /// The static content with the places filled in.
  var bytes: [UInt8] {
    var content = file.content
    func put(_ bytes: [UInt8], _ offset: Int?) {
      guard let offset else { return }
      let text = Array(bytes.hexadecimal.utf8)
      content.replaceSubrange(offset..<offset + text.count, with: text)
    }
    put(uid, settings.uidOffset)
    if settings.mirrorsCounter { put(counter.reversed(), settings.counterOffset) }
    if let number = settings.metaReadKey { put(piccData(keys[number]), settings.piccDataOffset) }
    guard let number = settings.fileReadKey else { return content }
    let key = DESFireCipher(kind: .aes, key: keys[number])
    if let offset = settings.fileDataOffset, let length = settings.fileDataLength {
      put(fileData(key, Array(file.content[offset..<offset + length / 2])), offset)
    }
    if let start = settings.macInputOffset, let end = settings.macOffset {
      let session = sessionKey(key, Label.authentication)
      let code = session.authenticationCode(Array(content[start..<end]), vector: session.zeroVector)
      put(NTAG424Session.truncated(code), end)
    }
    return content
  }

  /// 9.3.4.1.
  private func piccData(_ key: [UInt8]) -> [UInt8] {
    let uidSize: UInt8 = settings.mirrorsUID ? UInt8(uid.count) : 0
    let tag =
      settings.options
      & (NTAG424DynamicSettings.Option.uid | NTAG424DynamicSettings.Option.counter) | uidSize
    let plain =
      [tag] + (settings.mirrorsUID ? uid : []) + (settings.counts ? counter : []) + padding
    let cipher = DESFireCipher(kind: .aes, key: key)
    return cipher.encrypt(Array(plain.prefix(Self.blockSize)), vector: cipher.zeroVector)
  }

  /// 9.3.6.1.
  private func fileData(_ key: DESFireCipher, _ plain: [UInt8]) -> [UInt8] {
    let session = sessionKey(key, Label.encryption)
    let vector = session.encrypt(
      DESFireCipher.padded(counter, to: Self.blockSize), vector: session.zeroVector)
    return session.encrypt(plain, vector: vector)
  }

  /// 9.3.9.1.
  private func sessionKey(_ key: DESFireCipher, _ label: [UInt8]) -> DESFireCipher {
    let vector =
      label + Self.oneKey + (settings.mirrorsUID ? uid : [])
      + (settings.mirrorsCounter ? counter : [])
    return DESFireCipher(
      kind: .aes,
      key: key.authenticationCode(
        DESFireCipher.padded(vector, to: Self.blockSize), vector: key.zeroVector))
  }
}
