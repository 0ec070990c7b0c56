import SwiftNFCCore

/// What a phone says of its wallet when the application for passes is selected.
struct WalletSelection: Hashable {
  /// Which wallet answers.
  enum Wallet: Hashable {
    case apple
    case google
    /// The name that it gives itself.
    case other(String)
  }

  let wallet: Wallet
  /// Apple: what the wallet can do now; the last of four bytes.
  let capabilities: UInt8?
  /// Google: the nonce of the phone, 32 bytes, if it is there already.
  let nonce: [UInt8]?
  /// Google: the range of versions of Smart Tap.
  let versions: ClosedRange<UInt16>?

  /// "OSE.VAS.01": the name by which a phone is asked for passes.
  static let aid: ApplicationIdentifier = "4F53452E5641532E3031"
  /// The name of Smart Tap's own application, for phones that do not send their nonce at once.
  static let smartTap: ApplicationIdentifier = "A000000476D0000111"

  private enum Tag {
    static let controlInformation: UInt32 = 0x6F
    static let label: UInt32 = 0x50
    static let capabilities: UInt32 = 0x9F23
    static let proprietary: UInt32 = 0xA5
    static let discretionary: UInt32 = 0xBF0C
    static let entry: UInt32 = 0x61
    static let entryData: UInt32 = 0x73
    static let minimumVersion: UInt32 = 0xDF6D
    static let maximumVersion: UInt32 = 0xDF4D
    static let nonce: UInt32 = 0xDF6E
    static let proprietaryNonce: UInt32 = 0xC2
  }
  private static let nonceSize = 32

  /// - Parameter data: the answer to the selection, without the status word.
  /// - Returns: `nil` if it is not one of a wallet.
  init?(_ data: [UInt8]) {
    guard let outer = BERObject.leading(in: data[...]).first, outer.tag == Tag.controlInformation
    else { return nil }
    let fields = BERObject.leading(in: outer.content)
    guard let label = fields.value(Tag.label) else { return nil }
    let name = String(decoding: label, as: UTF8.self)
    switch name {
    case "ApplePay": wallet = .apple
    case "AndroidPay": wallet = .google
    default: wallet = .other(name)
    }
    capabilities = fields.value(Tag.capabilities)?.last
    let entry = [Tag.proprietary, Tag.discretionary, Tag.entry, Tag.entryData].reduce(fields) {
      fields, tag in
      BERObject.leading(in: fields.first { $0.tag == tag }?.content ?? [])
    }
    nonce = [entry.value(Tag.nonce), fields.value(Tag.proprietaryNonce)].lazy.compactMap { $0 }
      .first { $0.count == Self.nonceSize }
    let minimum = entry.value(Tag.minimumVersion).flatMap(Self.number)
    let maximum = entry.value(Tag.maximumVersion).flatMap(Self.number)
    if let minimum, let maximum, minimum <= maximum {
      versions = minimum...maximum
    } else {
      versions = nil
    }
  }

  private static func number(_ bytes: [UInt8]) -> UInt16? {
    bytes.count == 2 ? UInt16(bytes[0]) << 8 | UInt16(bytes[1]) : nil
  }
}

extension [BERObject] {
  /// Returns the value of the first object with a tag.
  func value(_ tag: UInt32) -> [UInt8]? { first { $0.tag == tag }?.bytes }
}
