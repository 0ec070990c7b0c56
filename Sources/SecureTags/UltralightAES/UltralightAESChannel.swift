import SwiftNFCCore
import Synchronization

/// An authentication with one key of a MIFARE Ultralight AES, repeated whenever the tag was
/// selected again, and the MACs after it.
final class UltralightAESChannel: UltralightChannel {
  private enum State {
    /// There is no authentication at present.
    case ended
    /// Authenticated; commands are sent without MACs.
    case open
    case secured(UltralightAESMessaging)
    /// An answer did not come from the tag.
    case failed
  }

  private struct Content {
    var state = State.ended
    var wasProved = false
    /// Whether the tag requires MACs; `nil` as long as that is not known.
    var hasCodes: Bool?
  }

  private enum Code {
    static let authenticate: UInt8 = 0x1A
    static let authenticateContinued: UInt8 = 0xAF
    static let authenticated: UInt8 = 0x00
    static let read: UInt8 = 0x30
    static let getVersion: UInt8 = 0x60
    static let halt: UInt8 = 0x50
  }

  private static let blockSize = 16
  private static let versionSize = 8

  private let number: UltralightAESTag.KeyNumber
  private let key: SecretKey
  private let needsCodes: Bool
  private let random: RandomBytes?
  private let content = Mutex(Content())

  /// - Parameter needsCodes: refuses a tag that does not use MACs.
  /// - Throws: `invalidParameter` for a key that is not 16 bytes long.
  init(
    _ number: UltralightAESTag.KeyNumber, _ key: SecretKey, needsCodes: Bool,
    random: RandomBytes?
  ) throws {
    guard key.count == UltralightAESTag.keySize else {
      throw NFCError(
        .invalidParameter, "a key has \(UltralightAESTag.keySize) bytes, not \(key.count)")
    }
    self.number = number
    self.key = key
    self.needsCodes = needsCodes
    self.random = random
  }

  // MARK: UltralightChannel

  var overhead: Int {
    if case .secured = content.withLock({ $0.state }) { UltralightAESMessaging.codeSize } else { 0 }
  }

  var isEnded: Bool {
    content.withLock { content in
      switch content.state {
      case .ended, .failed: content.wasProved
      case .open, .secured: false
      }
    }
  }

  func end() { content.withLock { $0.state = .ended } }

  /// Determines again whether the tag requires MACs, after its settings have changed.
  func forgetMessaging() { content.withLock { $0.hasCodes = nil } }

  func protect(_ command: [UInt8]) throws -> [UInt8]? {
    try content.withLock { content in
      switch content.state {
      case .ended, .open: return nil
      case .failed:
        throw NFCError(.notAuthenticated, "the session with the tag has ended: authenticate again")
      case .secured(var messaging):
        // HLTA is not a command of the chip.
        guard let code = command.first, ![Code.authenticate, Code.halt].contains(code) else {
          return nil
        }
        // This is the state until the command has its number.
        content.state = .failed
        let protected = try messaging.protect(command)
        content.state = .secured(messaging)
        return protected
      }
    }
  }

  func unprotect(_ answer: [UInt8]) throws -> [UInt8] {
    try content.withLock { content in
      guard case .secured(var messaging) = content.state else { return answer }
      // This is the state until the answer has been verified.
      content.state = .failed
      let body = try messaging.unprotect(answer)
      content.state = .secured(messaging)
      return body
    }
  }

  /// Two exchanges; the first time, one or two more to find out whether the tag requires MACs.
  func prove(_ link: TagLink) throws {
    end()
    let known = content.withLock { $0.hasCodes }
    let hasCodes = try known ?? readsSetting(link)
    var messaging = try authenticate(link)
    if let hasCodes {
      try finish(messaging, hasCodes: hasCodes)
      return
    }
    // The setting cannot be read without the key. A tag that requires MACs answers a command that
    // has one, and refuses others; a tag without MACs refuses a command of that length. GET_VERSION
    // requires no right.
    do {
      let answer = try messaging.unprotect(
        link.sendUltralight(messaging.protect([Code.getVersion])))
      guard answer.count == Self.versionSize else { throw NFCError.wrongLength }
      try finish(messaging, hasCodes: true)
    } catch let error as NFCError where error.code == .tagRefused || error.cause == .noAnswer {
      try link.wake()
      try finish(authenticate(link), hasCodes: false)
    }
  }

  private func finish(_ messaging: UltralightAESMessaging, hasCodes: Bool) throws {
    guard hasCodes || !needsCodes else {
      throw NFCError(
        .notAuthenticated,
        "the tag sends its answers without MACs, so that anyone could change them")
    }
    content.withLock {
      $0.hasCodes = hasCodes
      $0.wasProved = true
      $0.state = hasCodes ? .secured(messaging) : .open
    }
  }

  /// Reads SEC_MSG_ACT without a key; `nil` if the tag does not report it.
  private func readsSetting(_ link: TagLink) throws -> Bool? {
    do {
      let answer = try link.sendUltralight([Code.read, UltralightAESConfiguration.firstPage])
      return UltralightAESConfiguration(answer)?.securesMessages
    } catch let error as NFCError where error.code == .tagRefused || error.cause == .noAnswer {
      try link.wake()
      return nil
    }
  }

  /// Performs three passes: the tag's number, both numbers, the reader's number. Each is rotated by
  /// one byte when it is sent back; CBC starts with a block of zeros each time.
  private func authenticate(_ link: TagLink) throws -> UltralightAESMessaging {
    let cipher = try BlockCipher(.aes128, key: key)
    let challenge: [UInt8]
    do {
      challenge = try link.sendUltralight([Code.authenticate, number.rawValue])
    } catch let error as NFCError where error.code == .tagRefused {
      throw NFCError(
        .authenticationFailed,
        "the tag does not accept this key: it has no key \(number.rawValue), or too many wrong ones "
          + "have closed it", cause: error.cause)
    }
    let tag = try cipher.decrypt(Self.body(challenge, after: Code.authenticateContinued))
    let reader = link.random(random)(Self.blockSize)
    let token = try cipher.encrypt(reader + DESFireProcedure.rotated(tag))
    let answer: [UInt8]
    do {
      answer = try link.sendUltralight([Code.authenticateContinued] + token)
    } catch let error as NFCError where error.code == .tagRefused {
      throw NFCError(
        .authenticationFailed, "key \(number.rawValue) is wrong", cause: error.cause,
        attempts: Self.attemptLimit(link))
    }
    guard
      try cipher.decrypt(Self.body(answer, after: Code.authenticated))
        .equalsInConstantTime(DESFireProcedure.rotated(reader))
    else {
      throw NFCError(
        .authenticationFailed, "the tag does not prove that it has the key; it may be a copy")
    }
    return try UltralightAESMessaging(key: cipher, reader: reader, tag: tag)
  }

  /// Reads AUTH_LIM of a tag that has just refused a key, if anyone can read the settings: up to
  /// three exchanges.
  private static func attemptLimit(_ link: TagLink) -> NFCError.Attempts? {
    do {
      try link.restartUltralight()
      let open = link.protected(by: nil)
      let bytes =
        try open.readUltralight(page: UltralightAESConfiguration.firstPage)
        + open.readUltralight(page: UltralightAESConfiguration.keyLockPage)
      return UltralightAESConfiguration(bytes)?.attemptLimit.map { .limit($0) }
    } catch {
      // Report the wrong key instead.
      return nil
    }
  }

  private static func body(_ answer: [UInt8], after head: UInt8) throws -> [UInt8] {
    guard answer.count == 1 + blockSize, answer.first == head else {
      throw NFCError(.tagResponseError, "the tag's answer to AUTHENTICATE is broken")
    }
    return Array(answer.dropFirst())
  }
}
