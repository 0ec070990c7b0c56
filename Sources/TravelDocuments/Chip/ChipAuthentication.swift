import SwiftNFCCore

/// Chip authentication (Doc 9303-11, 6.2): an agreement with the chip's own key replaces the keys of the session.
///
/// One exchange with triple DES, two with AES. Only an answer that the chip protects with the new keys proves that it
/// has the key.
struct ChipAuthentication {
  let info: ChipAuthenticationInfo
  private let key: ChipAuthenticationKey

  /// Pairs an entry with its key: by the number, if there is one. Older documents have a key and no entry.
  init?(_ infos: SecurityInfos) {
    let keys = infos.chipAuthenticationKeys
    let ranked = infos.chipAuthentication.enumerated().sorted {
      ($0.element.cipher == .tripleDES ? 1 : 0, $0.offset)
        < ($1.element.cipher == .tripleDES ? 1 : 0, $1.offset)
    }.map(\.element)
    for info in ranked {
      let suitable = keys.filter { $0.isCurve == info.isCurve }
      if let key = suitable.first(where: { $0.identifier == info.keyIdentifier })
        ?? (suitable.count == 1 && (info.keyIdentifier == nil || suitable[0].identifier == nil)
          ? suitable[0] : nil)
      {
        (self.info, self.key) = (info, key)
        return
      }
    }
    guard ranked.isEmpty, let key = keys.first else { return nil }
    (info, self.key) = (ChipAuthenticationInfo(assumedFor: key), key)
  }

  private enum Parameter {
    static let set: UInt8 = 0x41
    /// MSE:Set KAT, and MSE:Set AT.
    static let keyAgreement: UInt8 = 0xA6
    static let authentication: UInt8 = 0xA4
  }

  /// Runs the protocol and replaces the keys.
  ///
  /// - Returns: the status word with which the chip refuses it, or `nil`.
  func run(_ channel: ChipChannel) throws -> UInt16? {
    guard let parameters = key.key.parameters else { return 0 }
    let agreement = KeyAgreement(parameters)
    let own = try agreement.keyPair(random: channel.link.random)
    guard let secret = agreement.secret(own.private.bytes, key.key.value) else { return 0 }
    let number = info.keyIdentifier.map { DER.object(0x84, DER.number($0)) } ?? []
    if info.cipher == .tripleDES {
      let answer = try channel.send(
        template(Parameter.keyAgreement, DER.object(0x91, own.public) + number))
      guard answer.isSuccess else { return answer.statusWord }
    } else {
      let answer = try channel.send(
        template(
          Parameter.authentication, DER.object(0x80, info.identifier.bytes) + number))
      guard answer.isSuccess else { return answer.statusWord }
      let last = try channel.send(
        AccessCommand.generalAuthenticate(DER.object(0x80, own.public), isLast: true))
      guard last.isSuccess else { return last.statusWord }
    }
    channel.begin(SecureMessaging(SessionKeys(info.cipher, secret: secret)))
    return nil
  }

  private func template(_ p2: UInt8, _ data: [UInt8]) -> APDU {
    APDU(
      instructionClass: 0, instructionCode: AccessCommand.manageSecurityEnvironment,
      p1: Parameter.set, p2: p2, data: data)
  }
}
