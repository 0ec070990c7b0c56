import SwiftNFCCore
import PassMessage

/// GET VAS DATA of Apple's Value Added Services.
///
/// Source: RfidResearchGroup/proxmark3, `cmdhfvas.c`; kormax/apple-vas.
public struct VASCommand: Hashable, Sendable {
  /// What is requested.
  public enum Mode: Hashable, Sendable {
    /// The phone takes the address of a page and sends nothing.
    case urlOnly
    /// The pass.
    case pass
  }

  /// What is requested.
  public var mode: Mode
  /// The pass type identifier; its SHA-256 is sent.
  public var passType: String
  /// The address of a page, at most 64 characters. Phones are said to ignore it in pass-only mode.
  public var url: String?
  /// Whether another pass is requested in the same tap.
  public var isFollowed: Bool
  /// Four bytes that are different each time; the phone's answer does not depend on them.
  public var nonce: [UInt8]

  /// Creates a command.
  public init(
    mode: Mode = .pass, passType: String, url: String? = nil, isFollowed: Bool = false,
    nonce: [UInt8]
  ) {
    self.mode = mode
    self.passType = passType
    self.url = url
    self.isFollowed = isFollowed
    self.nonce = nonce
  }

  /// The number of bytes of ``nonce``.
  static let nonceSize = 4

  private enum Tag {
    static let version: UInt32 = 0x9F22
    static let passType: UInt32 = 0x9F25
    static let terminal: UInt32 = 0x9F26
    static let nonce: UInt32 = 0x9F28
    static let url: UInt32 = 0x9F29
  }
  private static let version: [UInt8] = [0x01, 0x00]
  private static let supportsServices: UInt8 = 0x80
  /// The mode of the frame that has made the phone answer: passes only.
  private static let passOnly: UInt8 = 0x02
  private static let followed: UInt8 = 0x80

  /// The command as it is sent.
  public var apdu: APDU {
    var data = DER.object(Tag.version, Self.version)
    if mode == .pass { data += DER.object(Tag.passType, VASMessage.identifierHash(of: passType)) }
    let last = Self.passOnly | (isFollowed ? Self.followed : 0)
    data += DER.object(Tag.terminal, [0x00, Self.supportsServices, 0x00, last])
    data += DER.object(Tag.nonce, nonce)
    if let url { data += DER.object(Tag.url, Array(url.utf8)) }
    return APDU(
      instructionClass: 0x80, instructionCode: 0xCA, p1: 0x01, p2: mode == .pass ? 0x01 : 0x00,
      data: data, expectedLength: 256)
  }
}

/// The answer of a phone to ``VASCommand``.
public struct VASResponse: Hashable, Sendable {
  /// The encrypted content of the pass; see `VASMessage` of the product `PassMessage`.
  public let cryptogram: [UInt8]
  /// The mobile token, which may be empty; personal data.
  public let token: [UInt8]

  private enum Tag {
    static let response: UInt32 = 0x70
    static let token: UInt32 = 0x9F2A
    static let cryptogram: UInt32 = 0x9F27
  }

  /// - Parameter data: the answer without its status word.
  /// - Throws: ``NFCError/Code/tagResponseError`` for anything else than such an answer.
  public init(_ data: [UInt8]) throws {
    guard let outer = try? BERObject(data), outer.tag == Tag.response,
      let fields = try? outer.children()
    else {
      throw NFCError(.tagResponseError, "the phone's answer is not one to a request for a pass")
    }
    cryptogram = fields.value(Tag.cryptogram) ?? []
    token = fields.value(Tag.token) ?? []
  }
}

/// What the status word of a phone's answer to ``VASCommand`` means.
@nonexhaustive
public enum VASStatus: Hashable, Sendable {
  /// 9000
  case success
  /// 6A83: the phone has no such pass, or another one was chosen.
  case noSuchPass
  /// 6287: the phone is locked, or its owner has to prove who it is; the phone shows the pass, and answers again.
  case locked
  /// 6984: the owner has to choose the pass.
  case choose
  /// 6B00, 6700, 6A80, 6340: the command is wrong.
  case wrongCommand(StatusWord)
  /// Any other status word.
  case other(StatusWord)

  /// The meaning of a status word.
  public init(_ word: StatusWord) {
    switch word.rawValue {
    case 0x9000: self = .success
    case 0x6A83: self = .noSuchPass
    case 0x6287: self = .locked
    case 0x6984: self = .choose
    case 0x6B00, 0x6700, 0x6A80, 0x6340: self = .wrongCommand(word)
    default: self = .other(word)
    }
  }
}
