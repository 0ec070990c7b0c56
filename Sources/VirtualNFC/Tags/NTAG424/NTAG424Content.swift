import SwiftNFCCore

/// A file with Secure Dynamic Messaging in a read without authentication (NT4H2421Gx data sheet, 9.3).
struct NTAG424Content {
  /// The content as it was written.
  let staticContent: [UInt8]
  let readCounter: UInt32
  let settings: NTAG424DynamicSettings
  let uid: [UInt8]
  let keys: [[UInt8]]
  /// The random padding of PICCData, drawn for the first of several reads.
  let padding: [UInt8]
  /// PICCRand of a chip that is set to LRP.
  var number: [UInt8] = []
  var isLRP = false

  private enum Label {
    static let authentication: [UInt8] = [0x3C, 0xC3]
    static let encryption: [UInt8] = [0xC3, 0x3C]
    static let lrp: [UInt8] = [0x1E, 0xE1]
  }

  private static let oneKey: [UInt8] = [0x00, 0x01, 0x00, 0x80]
  private static let blockSize = 16

  private var counter: [UInt8] {
    [0, 8, 16].map { UInt8(truncatingIfNeeded: readCounter >> $0) }
  }

  /// The content with the mirrored data inserted.
  var bytes: [UInt8] {
    var content = staticContent
    func put(_ bytes: [UInt8], _ offset: Int?) {
      guard let offset else { return }
      let text = Array(bytes.hexadecimal.utf8)
      content.replaceSubrange(offset..<offset + text.count, with: text)
    }
    put(uid, settings.uidOffset)
    if settings.mirrorsCounter { put(counter.reversed(), settings.counterOffset) }
    if let number = settings.metaReadKey { put(piccData(keys[number]), settings.piccDataOffset) }
    guard let number = settings.fileReadKey else { return content }
    guard !isLRP else {
      signWithLRP(&content, keys[number])
      return content
    }
    let key = DESFireCipher(kind: .aes, key: keys[number])
    if let offset = settings.fileDataOffset, let length = settings.fileDataLength {
      put(fileData(key, Array(staticContent[offset..<offset + length / 2])), offset)
    }
    if let start = settings.macInputOffset, let end = settings.macOffset {
      let session = sessionKey(key, Label.authentication)
      let code = session.authenticationCode(Array(content[start..<end]), vector: session.zeroVector)
      put(NTAG424Session.truncated(code), end)
    }
    return content
  }

  /// Returns PICCData (9.3.4.1).
  private func piccData(_ key: [UInt8]) -> [UInt8] {
    let uidSize: UInt8 = settings.mirrorsUID ? UInt8(uid.count) : 0
    let tag =
      settings.options
      & (NTAG424DynamicSettings.Option.uid | NTAG424DynamicSettings.Option.counter) | uidSize
    let plain =
      [tag] + (settings.mirrorsUID ? uid : []) + (settings.counts ? counter : []) + padding
    let block = Array(plain.prefix(Self.blockSize))
    guard !isLRP else {
      return number
        + LeakageResilientCipher(key: key, number: 0).run(block, counter: number, encrypts: true)
    }
    let cipher = DESFireCipher(kind: .aes, key: key)
    return cipher.encrypt(block, vector: cipher.zeroVector)
  }

  /// Signs the content with LRP (9.3.6.2, 9.3.8.2 and 9.3.9.2).
  private func signWithLRP(_ content: inout [UInt8], _ key: [UInt8]) {
    let start = Self.oneKey + mirroredContext
    let room = (start.count + Label.lrp.count) % Self.blockSize
    let vector =
      start + [UInt8](repeating: 0, count: room == 0 ? 0 : Self.blockSize - room) + Label.lrp
    let master = LeakageResilientCipher(key: key, number: 0).authenticationCode(vector)
    if let offset = settings.fileDataOffset, let length = settings.fileDataLength {
      let plain = Array(staticContent[offset..<offset + length / 2])
      let data = LeakageResilientCipher(key: master, number: 1).run(
        plain, counter: counter + [0, 0, 0], encrypts: true)
      content.replaceSubrange(offset..<offset + length, with: Array(data.hexadecimal.utf8))
    }
    if let start = settings.macInputOffset, let end = settings.macOffset {
      let code = LeakageResilientCipher(key: master, number: 0).authenticationCode(
        Array(content[start..<end]))
      let text = Array(NTAG424Session.truncated(code).hexadecimal.utf8)
      content.replaceSubrange(end..<end + text.count, with: text)
    }
  }

  /// The part of UID and counter that is used in session vectors.
  private var mirroredContext: [UInt8] {
    (settings.mirrorsUID ? uid : []) + (settings.mirrorsCounter ? counter : [])
  }

  /// Returns the encrypted file data (9.3.6.1).
  private func fileData(_ key: DESFireCipher, _ plain: [UInt8]) -> [UInt8] {
    let session = sessionKey(key, Label.encryption)
    let vector = session.encrypt(
      DESFireCipher.padded(counter, to: Self.blockSize), vector: session.zeroVector)
    return session.encrypt(plain, vector: vector)
  }

  /// Returns a session key (9.3.9.1).
  private func sessionKey(_ key: DESFireCipher, _ label: [UInt8]) -> DESFireCipher {
    let vector = label + Self.oneKey + mirroredContext
    return DESFireCipher(
      kind: .aes,
      key: key.authenticationCode(
        DESFireCipher.padded(vector, to: Self.blockSize), vector: key.zeroVector))
  }
}

extension NTAG424Content {
  init(
    file: NTAG424File, settings: NTAG424DynamicSettings, uid: [UInt8], keys: [[UInt8]],
    padding: [UInt8], number: [UInt8] = [], isLRP: Bool = false
  ) {
    self.init(
      staticContent: file.content, readCounter: file.readCounter, settings: settings, uid: uid,
      keys: keys, padding: padding, number: number, isLRP: isLRP)
  }
}
