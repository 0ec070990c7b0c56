import SwiftNFCCore

/// Secure messaging: protects commands and opens answers (Doc 9303-11, 9.8; ISO/IEC 7816-4, 10). It knows nothing of
/// files.
struct SecureMessaging: Sendable {
  /// What is wrong with an answer.
  enum Problem: Error, Hashable {
    /// The answer has no protection: its status word may come from anyone.
    case bare(UInt16)
    /// The MAC is wrong, or what it should cover contradicts itself: the session is over.
    case altered
  }

  private enum Tag {
    static let cryptogram: UInt32 = 0x87
    /// Of odd instructions, without a byte for the padding.
    static let oddCryptogram: UInt32 = 0x85
    static let expectedLength: UInt32 = 0x97
    static let status: UInt32 = 0x99
    static let code: UInt32 = 0x8E
  }

  /// The bits of the class byte: the header is authenticated.
  private static let protection: UInt8 = 0x0C
  private static let paddingIndicator: UInt8 = 0x01

  private let keys: SessionKeys
  /// The counter, which rises before each command and each answer.
  private(set) var counter: UInt64
  /// Whether the current command has an odd instruction.
  private var isOdd = false

  init(_ keys: SessionKeys, counter: UInt64 = 0) {
    self.keys = keys
    self.counter = counter
  }

  var cipher: BlockCipher { keys.cipher }

  private var counterBlock: [UInt8] {
    Array(cipher.zeros.dropLast(8)) + counter.bigEndianBytes
  }

  /// The initial value is zero for triple DES, and the encrypted counter for AES (9.8.6.1, 9.8.7.1).
  private func initialValue() -> [UInt8]? {
    cipher == .tripleDES ? cipher.zeros : keys.encrypt(counterBlock)
  }

  // MARK: Commands

  /// Returns a command with protection, for which the counter rises.
  ///
  /// The outer expected length is always the maximum; that of the plain command bounds the answer.
  mutating func protect(_ command: APDU) throws -> APDU {
    counter &+= 1
    isOdd = command.instructionCode & 1 == 1
    var objects: [UInt8] = []
    if !command.data.isEmpty {
      guard let value = initialValue(),
        let cryptogram = keys.encrypt(cipher.padded(command.data), initialValue: value)
      else { throw Self.failure }
      objects +=
        isOdd
        ? DER.object(Tag.oddCryptogram, cryptogram)
        : DER.object(Tag.cryptogram, [Self.paddingIndicator] + cryptogram)
    }
    if let length = command.expectedLength {
      let bytes =
        command.isExtended && length > 256
        ? UInt16(truncatingIfNeeded: length).bigEndianBytes : [UInt8(truncatingIfNeeded: length)]
      objects += DER.object(Tag.expectedLength, bytes)
    }
    let instructionClass = command.instructionClass | Self.protection
    let header = cipher.padded([
      instructionClass, command.instructionCode, command.p1, command.p2,
    ])
    guard let code = keys.code(ofMessage: counterBlock + header + objects) else {
      throw Self.failure
    }
    objects += DER.object(Tag.code, code)
    let isExtended = command.isExtended || objects.count > 255
    return APDU(
      instructionClass: instructionClass, instructionCode: command.instructionCode,
      p1: command.p1, p2: command.p2, data: objects,
      expectedLength: isExtended ? 65_536 : 256, isExtended: isExtended)
  }

  // MARK: Answers

  /// Verifies an answer, for which the counter rises, and returns it without its protection.
  ///
  /// - Throws: ``Problem``; after `bare`, the counter may be set back with ``setBack(to:)``.
  mutating func open(_ response: ResponseAPDU) throws -> ResponseAPDU {
    counter &+= 1
    guard !response.data.isEmpty, let objects = try? BERObject.all(in: response.data[...]) else {
      throw response.data.isEmpty ? Problem.bare(response.statusWord) : Problem.altered
    }
    guard let last = objects.last, last.tag == Tag.code else {
      throw Problem.bare(response.statusWord)
    }
    let covered = Array(response.data[..<last.encoded.startIndex])
    guard let code = keys.code(ofMessage: counterBlock + covered),
      OpenSSL.areEqual(code, last.bytes)
    else {
      throw Problem.altered
    }
    var data: [UInt8] = []
    var status: [UInt8]?
    for object in objects.dropLast() {
      switch object.tag {
      case Tag.cryptogram where !isOdd && data.isEmpty:
        guard object.content.first == Self.paddingIndicator else { throw Problem.altered }
        data = try plain(Array(object.content.dropFirst()))
      case Tag.oddCryptogram where isOdd && data.isEmpty: data = try plain(object.bytes)
      case Tag.status where status == nil: status = object.bytes
      default: throw Problem.altered
      }
    }
    // Some chips leave the status out if there is data; the outer one is then covered by nothing.
    guard let status, status == [response.sw1, response.sw2] else { throw Problem.altered }
    return ResponseAPDU(data: data, sw1: response.sw1, sw2: response.sw2)
  }

  private func plain(_ cryptogram: [UInt8]) throws -> [UInt8] {
    guard !cryptogram.isEmpty, let value = initialValue(),
      let padded = keys.decrypt(cryptogram, initialValue: value),
      let data = BlockCipher.unpadded(padded)
    else { throw Problem.altered }
    return data
  }

  /// Sets the counter back to that of the last verified answer, for a chip that has counted neither a command nor its
  /// bare answer.
  mutating func setBack(to counter: UInt64) { self.counter = counter }

  // MARK: Sizes

  /// The maximum number of plain bytes in an answer with protection.
  ///
  /// - Parameter limit: the maximum length of an answer, with its status word.
  static func dataLimit(_ cipher: BlockCipher, answer limit: Int) -> Int {
    // The status word outside and inside, and the MAC.
    let others = 2 + 4 + 10
    let room = limit - others
    // The object has a tag, its length in one to four bytes, and the indicator.
    for lengthSize in 1...4 {
      let blocks = (room - 2 - lengthSize) / cipher.blockSize
      guard blocks > 0 else { return 0 }
      let count = 1 + blocks * cipher.blockSize
      if DER.length(count).count <= lengthSize { return blocks * cipher.blockSize - 1 }
    }
    return 0
  }

  private static let failure = NFCError(
    .unsupported, "this system's libcrypto does not have the document's cipher")
}

extension UInt64 {
  fileprivate var bigEndianBytes: [UInt8] {
    stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
  }
}
