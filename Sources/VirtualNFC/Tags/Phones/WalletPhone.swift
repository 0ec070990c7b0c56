/// A phone with passes in its wallet, as readers see it that select the application "OSE.VAS.01".
///
/// It is for tests and demonstrations: its answers follow the public descriptions of both protocols, and were not
/// compared with those of a phone.
public struct WalletPhone: VirtualChip {
  /// When the phone answers a reader.
  public enum Readiness: Hashable, Sendable {
    /// After the frame for passes only: 6A 01 00 00 02 with CRC_A.
    case afterFrame
    /// After another frame, with its check bytes.
    case afterOtherFrame(RadioFrame)
    /// At once: its owner has chosen the pass and confirmed it.
    case chosen
  }

  public let name: String
  private var interface: ProximityInterface
  private var attention: PollingAttention
  private var wallet: any Wallet
  /// Whether a pass was sent since the phone has begun to answer.
  private var hasSent = false

  init(_ name: String, uid: [UInt8], _ readiness: Readiness, _ wallet: some Wallet) {
    self.name = readiness == .chosen ? name + "-chosen" : name
    self.wallet = wallet
    interface = ProximityInterface(
      typeA: uid, atqa: TypeACoding.atqa(uid: uid), ats: TypeACoding.ats)
    let frame: RadioFrame? =
      switch readiness {
      case .afterFrame: .typeA([0x6A, 0x01, 0x00, 0x00, 0x02])
      case .afterOtherFrame(let frame): frame
      case .chosen: nil
      }
    attention = PollingAttention(frame: frame)
  }

  /// Creates an iPhone.
  ///
  /// - Parameter passes: its passes; those of two examples unless given.
  public static func apple(
    _ readiness: Readiness = .afterFrame, passes: [AppleWallet.Pass] = AppleWallet.examples,
    behavior: AppleWallet.Behavior = AppleWallet.Behavior()
  ) -> WalletPhone {
    WalletPhone(
      "wallet-apple", uid: [0x08, 0xA9, 0x71, 0xE5], readiness,
      AppleWallet(passes: passes, behavior: behavior))
  }

  /// Creates an Android phone.
  ///
  /// - Parameter passes: its passes; one of Google's demonstration collector unless given.
  public static func google(
    _ readiness: Readiness = .afterFrame, passes: [GoogleWallet.Pass] = GoogleWallet.examples,
    behavior: GoogleWallet.Behavior = GoogleWallet.Behavior()
  ) -> WalletPhone {
    WalletPhone(
      "wallet-google", uid: [0x08, 0x60, 0x06, 0x1E], readiness,
      GoogleWallet(passes: passes, behavior: behavior))
  }

  public var identifier: [UInt8] { interface.identifier }
  public var modulation: RadioFrame.Modulation { interface.modulation }
  public var memory: [UInt8] {
    get { [] }
    set {}
  }

  public mutating func powerOn() { interface.powerOn() }

  public mutating func powerOff() {
    interface.powerOff()
    leave()
  }

  /// Ends a transaction: the phone shows that it is done, and listens again.
  private mutating func leave() {
    wallet.reset()
    guard hasSent else { return }
    hasSent = false
    attention.sleep()
  }

  public mutating func receive(_ frame: RadioFrame) -> RadioFrame? {
    guard attention.hears(frame) else { return nil }
    let wasActivated = interface.isActivated
    switch interface.receive(frame) {
    case .handled(let answer):
      if wasActivated, !interface.isActivated { leave() }
      return answer
    case .command(let bytes):
      guard let command = CommandAPDU(bytes) else {
        return interface.respond(StatusWord.wrongLength.bytes)
      }
      let answer = wallet.process(command)
      hasSent = hasSent || wallet.hasSent
      return interface.respond(answer)
    }
  }
}

/// A wallet on a phone: what processes its commands.
protocol Wallet: Sendable {
  /// Whether it has sent a pass since ``reset()``.
  var hasSent: Bool { get }
  mutating func process(_ command: CommandAPDU) -> [UInt8]
  /// Called when the reader has gone.
  mutating func reset()
}

/// What both wallets have in common.
enum WalletObject {
  /// The name of the application for passes.
  static let applicationName = Array("OSE.VAS.01".utf8)

  /// Encodes an object of BER-TLV.
  static func encode(_ tag: [UInt8], _ value: [UInt8]) -> [UInt8] {
    let length: [UInt8] =
      value.count < 0x80
      ? [UInt8(value.count)]
      : value.count < 0x100
        ? [0x81, UInt8(value.count)]
        : [
          0x82, UInt8(truncatingIfNeeded: value.count >> 8), UInt8(truncatingIfNeeded: value.count),
        ]
    return tag + length + value
  }

  /// Decodes objects with tags of two bytes and lengths of one; `nil` for anything else.
  static func decode(_ bytes: [UInt8]) -> [(tag: UInt16, value: [UInt8])]? {
    var objects: [(tag: UInt16, value: [UInt8])] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let head = Array(rest.prefix(3))
      guard head.count == 3, head[0] & 0x1F == 0x1F, head[2] < 0x80,
        rest.count >= 3 + Int(head[2])
      else { return nil }
      objects.append(
        (UInt16(head[0]) << 8 | UInt16(head[1]), Array(rest.dropFirst(3).prefix(Int(head[2])))))
      rest = rest.dropFirst(3 + Int(head[2]))
    }
    return objects
  }
}
