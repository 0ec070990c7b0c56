import SwiftNFCCore
import Synchronization
import Testing
import VirtualNFC

@testable import SecureTags

/// A virtual card without a reader, with faults at its exchanges.
final class VirtualCard: Sendable {
  /// The fault at one exchange.
  enum Fault: Hashable, Sendable, CaseIterable {
    /// The card has not received the command, and the tag is lost.
    case commandLost
    /// The card has executed the command, and the tag is lost.
    case answerLost
    /// One bit of the answer's first or last byte is changed.
    case firstByteChanged, lastByteChanged
    /// The answer lacks its last byte.
    case answerCut
    /// The answer has one additional byte.
    case answerLonger
    /// The answer is the one to the previous exchange.
    case answerRepeated

    var losesTag: Bool { self == .commandLost || self == .answerLost }
  }

  private struct State {
    var card: DESFire
    var count = 0
    var fault: (index: Int, kind: Fault)?
    var last: [UInt8] = [0x00]
    var sent: [[UInt8]] = []
  }
  private let state: Mutex<State>

  init(_ card: DESFire) {
    var card = card
    card.powerOn()
    state = Mutex(State(card: card))
  }

  /// The number of exchanges since ``setFault(_:)``.
  var count: Int { state.withLock { $0.count } }

  /// The commands since ``setFault(_:)``.
  var sent: [[UInt8]] { state.withLock { $0.sent } }

  var memory: [UInt8] { state.withLock { $0.card.memory } }

  func setFault(_ fault: (index: Int, kind: Fault)? = nil) {
    state.withLock { ($0.count, $0.fault, $0.sent) = (0, fault, []) }
  }

  /// Switches the carrier off and on.
  func restart() {
    state.withLock {
      $0.card.powerOff()
      $0.card.powerOn()
    }
  }

  /// Selects an application by its ISO/IEC 7816-4 name.
  func select(_ name: [UInt8]) -> [UInt8] {
    state.withLock { $0.card.process([0x00, 0xA4, 0x04, 0x0C, UInt8(name.count)] + name + [0x00]) }
  }

  func exchange(_ command: [UInt8]) throws -> [UInt8] {
    try state.withLock { state in
      let fault = state.fault?.index == state.count ? state.fault?.kind : nil
      state.count += 1
      state.sent.append(command)
      let lost = NFCError(.tagConnectionLost, "the tag has gone")
      guard fault != .commandLost else { throw lost }
      var answer = state.card.process(command)
      defer { state.last = answer }
      switch fault {
      case .answerLost: throw lost
      case .firstByteChanged where answer.count > 1: answer[1] ^= 0x40
      case .firstByteChanged: answer.append(0x40)
      case .lastByteChanged where answer.count > 1: answer[answer.count - 1] ^= 1
      case .lastByteChanged: answer.append(1)
      case .answerCut where answer.count > 1: answer.removeLast()
      case .answerLonger: answer.append(0)
      case .answerRepeated: answer = state.last
      case .answerCut, .commandLost, nil: break
      }
      return answer
    }
  }

  func procedure(_ generation: DESFireGeneration? = .ev1) -> DESFireProcedure {
    DESFireProcedure(
      transport: DESFireTransport(longestFrame: 59) { code, parameters in
        let answer = try self.exchange([code] + parameters)
        guard let status = answer.first else {
          throw NFCError(.tagResponseError, "the card's answer is empty")
        }
        return (DESFireStatus(code: status), Array(answer.dropFirst()))
      }, generation: generation, state: .unknown, random: RandomNumbers.system)
  }
}

/// A method of authentication, on a card that supports it.
struct Way: Sendable, CustomTestStringConvertible {
  let model: DESFireModel
  let generation: DESFireGeneration
  let method: DESFireAuthentication
  let kind: DESFireKey.Kind

  var testDescription: String { "\(model.name) \(method) \(kind.name)" }

  static let all: [Way] = [
    Way(model: .ev1, generation: .ev1, method: .legacy, kind: .des),
    Way(model: .ev1, generation: .ev1, method: .iso, kind: .des),
    Way(model: .ev1, generation: .ev1, method: .iso, kind: .threeKeyTripleDES),
    Way(model: .ev1, generation: .ev1, method: .aes, kind: .aes),
    Way(model: .ev2, generation: .ev2, method: .aes, kind: .aes),
    Way(model: .ev2, generation: .ev2, method: .ev2First, kind: .aes),
    Way(model: .ev3, generation: .ev3, method: .ev2First, kind: .aes),
  ]

  static let application = DESFireApplicationIdentifier(0x12_3456) ?? .card
}
