import NDEF
import SwiftNFCCore
import PassMessage

/// The commands to a phone in one tap, without another command in between.
struct PassExchange {
  let link: TagLink
  let request: PassRequest

  /// What a tap has brought, before the time is judged.
  enum Outcome {
    /// The card is not a phone with a wallet that is known.
    case notAWallet
    case apple(VASMessage, passType: String, key: MerchantKey, token: [UInt8])
    case google([SmartTapPass])
    case waiting(PassEvent.Reason)
    case refused(PassRefusal)
  }

  /// - Throws: `NFCError` if the phone has left; `CancellationError`.
  func run() throws -> Outcome {
    let answer = try link.send(.select(aid: WalletSelection.aid))
    guard answer.isSuccess, let selection = WalletSelection(answer.data) else { return .notAWallet }
    switch selection.wallet {
    case .apple:
      guard !request.applePasses.isEmpty else { return .refused(.noSuchPass) }
      return try readApple()
    case .google:
      guard let collector = request.collector else { return .refused(.noSuchPass) }
      do {
        return try readGoogle(selection, collector)
      } catch let error as SmartTapError {
        return .refused(.smartTap(error))
      }
    case .other: return .notAWallet
    }
  }

  // MARK: Apple

  private func readApple() throws -> Outcome {
    for (index, pass) in request.applePasses.enumerated() {
      let command = VASCommand(
        passType: pass.passType, isFollowed: index + 1 < request.applePasses.count,
        nonce: link.random(VASCommand.nonceSize))
      let answer = try link.send(command.apdu)
      switch VASStatus(StatusWord(rawValue: answer.statusWord)) {
      case .success: break
      case .noSuchPass: continue
      case .locked: return .waiting(.locked)
      case .choose: return .waiting(.choose)
      case .wrongCommand(let word), .other(let word): return .refused(.status(word))
      }
      guard let response = try? VASResponse(answer.data) else { return .refused(.malformedAnswer) }
      do throws(PassError) {
        let message = try VASMessage(
          cryptogram: response.cryptogram, passType: pass.passType, key: pass.key)
        return .apple(message, passType: pass.passType, key: pass.key, token: response.token)
      } catch {
        return .refused(.content(error))
      }
    }
    return .refused(.noSuchPass)
  }

  // MARK: Google

  private enum Code {
    static let smartTap: UInt8 = 0x90
    static let negotiate: UInt8 = 0x53
    static let getData: UInt8 = 0x50
    static let getMore: UInt8 = 0xC0
  }

  /// The first byte of a status word, which alone decides (kormax/google-smart-tap; Google's sample application).
  private enum Status {
    static let (success, notReady, tryAgain): (UInt8, UInt8, UInt8) = (0x90, 0x91, 0x92)
    static let owner: UInt8 = 0x93
    static let (noPass, notLive): (UInt16, UInt16) = (0x9001, 0x9002)
    static let more: UInt16 = 0x9100
  }

  private static let version: UInt16 = 1
  private static let mostAttempts = 3
  /// No pass is as long; more is not fetched.
  private static let longestAnswer = 1 << 16

  private func readGoogle(
    _ selection: WalletSelection, _ collector: SmartTapCollector
  ) throws -> Outcome {
    var selection = selection
    if selection.nonce == nil {
      let answer = try link.send(.select(aid: WalletSelection.smartTap))
      guard answer.isSuccess else {
        return .refused(.status(StatusWord(rawValue: answer.statusWord)))
      }
      selection = try selection.adding(answer.data)
    }
    guard let nonce = selection.nonce else { throw SmartTapError.malformed("no nonce") }
    if let versions = selection.versions, !versions.contains(Self.version) {
      throw SmartTapError.malformed("another version of Smart Tap")
    }
    guard let key = try? MerchantKey.generate() else { throw SmartTapError.noSignature }
    let session = SmartTapSession(
      collector: collector,
      numbers: SmartTapSession.Numbers(
        session: RandomNumbers.system(8), nonce: RandomNumbers.system(32), key: key),
      phoneNonce: nonce)
    guard let signature = collector.key.signature(of: session.signedBytes) else {
      throw SmartTapError.noSignature
    }
    let negotiation = try send(Code.negotiate, session.negotiation(signature: signature))
    if let outcome = outcome(of: negotiation) { return outcome }
    var keys = try session.keys(answer: negotiation.data, signature: signature)
    defer { keys.wipe() }
    var sequence = keys.sequence &+ 1
    for _ in 0..<Self.mostAttempts {
      let answer = try send(Code.getData, session.request(sequence: sequence))
      if answer.sw1 == Status.tryAgain {
        sequence &+= 2
        continue
      }
      if let outcome = outcome(of: answer) { return outcome }
      return .google(try keys.passes(in: answer.data, session: session.numbers.session))
    }
    return .refused(.status(StatusWord(rawValue: 0x9200)))
  }

  /// - Returns: `nil` for success.
  private func outcome(of answer: ResponseAPDU) -> Outcome? {
    if answer.statusWord == Status.noPass || answer.statusWord == Status.notLive {
      return .refused(.noSuchPass)
    }
    switch answer.sw1 {
    case Status.success, Status.notReady: return nil
    case Status.owner: return .waiting(.choose)
    default: return .refused(.status(StatusWord(rawValue: answer.statusWord)))
    }
  }

  /// Sends a command, and fetches the rest of its answer.
  private func send(_ code: UInt8, _ data: [UInt8]) throws -> ResponseAPDU {
    var answer = try link.send(
      APDU(
        instructionClass: Code.smartTap, instructionCode: code, p1: 0, p2: 0, data: data,
        expectedLength: 256))
    var whole = answer.data
    while answer.statusWord == Status.more {
      let more = try link.send(
        APDU(
          instructionClass: Code.smartTap, instructionCode: Code.getMore, p1: 0, p2: 0, data: [],
          expectedLength: 256))
      guard !more.data.isEmpty, whole.count + more.data.count <= Self.longestAnswer else {
        throw SmartTapError.malformed("no end")
      }
      whole += more.data
      answer = more
    }
    return ResponseAPDU(data: whole, sw1: answer.sw1, sw2: answer.sw2)
  }
}

extension WalletSelection {
  private static let versionsSize = 4
  private static let nonceSize = 32

  /// Adds the answer to the selection of Smart Tap's own application: the versions, and a record with the nonce.
  func adding(_ answer: [UInt8]) throws(SmartTapError) -> WalletSelection {
    guard answer.count > Self.versionsSize else { throw .malformed("no nonce") }
    let records = try SmartTapResponse.message(Array(answer.dropFirst(Self.versionsSize)))
    guard let payload = records.first(where: { $0.hasType(.external, "mdn") })?.payload,
      payload.count == 1 + Self.nonceSize
    else { throw .malformed("no nonce") }
    let minimum = UInt16(answer[0]) << 8 | UInt16(answer[1])
    let maximum = UInt16(answer[2]) << 8 | UInt16(answer[3])
    guard minimum <= maximum else { throw .malformed("no versions") }
    return WalletSelection(self, nonce: Array(payload.dropFirst()), versions: minimum...maximum)
  }

  private init(_ selection: WalletSelection, nonce: [UInt8], versions: ClosedRange<UInt16>) {
    wallet = selection.wallet
    capabilities = selection.capabilities
    self.nonce = nonce
    self.versions = versions
  }
}
