import SwiftNFCCore
import Synchronization
import Testing

@testable import SecureTags
@testable import VirtualNFC

/// Tests a MIFARE Plus with a fault at each exchange, without a reader: no wrong answer is accepted, and
/// the card has either its old or its new content.
@Suite struct MIFAREPlusFaultTests {
  private static let factory = SecretKey([UInt8](repeating: 0xFF, count: 16))
  private static let new = SecretKey((0..<16).map { UInt8($0 * 5 + 2) })
  private static let block = (0..<16).map { UInt8($0 + 0x30) }

  /// A card with faults at its exchanges.
  private final class Card: Sendable {
    private struct State {
      var card: MIFAREPlus
      var count = 0
      var fault: (index: Int, kind: VirtualCard.Fault)?
      var last: [UInt8] = [0x90]
    }
    private let state: Mutex<State>

    init(_ messaging: MIFAREPlusSecureMessaging = .ev0) {
      var card = MIFAREPlus()
      card.hasMessagingOfEV1 = messaging == .ev1
      card.powerOn()
      state = Mutex(State(card: card))
    }

    var memory: [UInt8] { state.withLock { $0.card.memory } }
    var count: Int { state.withLock { $0.count } }

    func setFault(_ fault: (index: Int, kind: VirtualCard.Fault)? = nil) {
      state.withLock { ($0.count, $0.fault) = (0, fault) }
    }

    var procedure: MIFAREPlusProcedure {
      MIFAREPlusProcedure(
        send: { try self.exchange($0) }, session: nil, random: RandomNumbers.system)
    }

    private func exchange(_ command: [UInt8]) throws -> [UInt8] {
      try state.withLock { state in
        let fault = state.fault?.index == state.count ? state.fault?.kind : nil
        state.count += 1
        let lost = NFCError(.tagConnectionLost, "the tag has gone")
        guard fault != .commandLost else { throw lost }
        var answer = state.card.process(command)
        let last = state.last
        state.last = answer
        switch fault {
        case .answerLost: throw lost
        case .firstByteChanged where answer.count > 1: answer[1] ^= 0x40
        case .firstByteChanged: answer.append(0x40)
        case .lastByteChanged where answer.count > 1: answer[answer.count - 1] ^= 1
        case .lastByteChanged: answer.append(1)
        case .answerCut: answer.removeLast()
        case .answerLonger: answer.append(0)
        case .answerRepeated: answer = last
        case .commandLost, nil: break
        }
        return answer
      }
    }
  }

  struct Change: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Runs after an authentication with key A of sector 1.
    let body: @Sendable (inout MIFAREPlusProcedure) throws -> Void
  }

  static let changes = [
    Change(testDescription: "block") { try $0.write(4, block, .encrypted) },
    Change(testDescription: "block in plain") { try $0.write(4, block, .plain) },
    Change(testDescription: "key") {
      try $0.changeKey(try #require(MIFAREPlusKeyAddress(sector: 1, isB: true)), to: new)
    },
    Change(testDescription: "value") { try $0.changeValue(5, by: 11, into: 5) },
    Change(testDescription: "copy") { try $0.copyValue(5, to: 6) },
    Change(testDescription: "another key first") {
      try $0.authenticate(try #require(MIFAREPlusKeyAddress(sector: 1, isB: true)), factory)
      try $0.write(4, block, .encrypted)
    },
  ]

  private static func opened(
    _ messaging: MIFAREPlusSecureMessaging
  ) throws -> (Card, MIFAREPlusProcedure) {
    let card = Card(messaging)
    var procedure = card.procedure
    let address = try #require(MIFAREPlusKeyAddress(sector: 1))
    try procedure.authenticate(address, factory, messaging: messaging)
    try procedure.write(
      5, MIFAREPlusValue(value: 100, address: 5).bytes, .encrypted)
    return (card, procedure)
  }

  @Test(arguments: changes, MIFAREPlusSecureMessaging.allCases)
  func everyFaultOfAChange(_ change: Change, _ messaging: MIFAREPlusSecureMessaging) throws {
    var (card, procedure) = try Self.opened(messaging)
    let before = card.memory
    card.setFault()
    try change.body(&procedure)
    let (count, after) = (card.count, card.memory)
    #expect(before != after)
    for fault in VirtualCard.Fault.allCases {
      for index in 0..<count {
        let place: Comment = "\(fault) at \(index)"
        (card, procedure) = try Self.opened(messaging)
        card.setFault((index, fault))
        do {
          try change.body(&procedure)
          // Only unused bytes may be wrong: the capabilities at the end of a first answer.
          Issue.record("a wrong answer was taken for right: \(fault) at \(index)")
        } catch {
          #expect(procedure.session == nil, place)
        }
        #expect([before, after].contains(card.memory), place)
      }
    }
  }

  /// A card that goes on with the messaging of EV1, which nobody has asked for, is not used. The card's
  /// capabilities come first among those at the end.
  @Test(arguments: [0x00, 0x01, 0x02] as [UInt8])
  func cardsThatRequireTheMessagingOfEV1(_ capability: UInt8) throws {
    let cipher = try BlockCipher(.aes128, key: Self.factory)
    let challenge = [UInt8](repeating: 0x31, count: 16)
    let reader = (0..<16).map { UInt8($0) }
    var procedure = MIFAREPlusProcedure(
      send: { command in
        guard command.first == 0x72 else { return [0x90] + (try cipher.encrypt(challenge)) }
        let rotated = reader.dropFirst() + reader.prefix(1)
        return [0x90]
          + (try cipher.encrypt(
            [1, 2, 3, 4] + rotated + [capability] + [UInt8](repeating: 0, count: 11)))
      }, session: nil, random: { _ in reader })
    let result = Result { try procedure.authenticate(.cardMaster, Self.factory) }
    if case .failure(let error) = result {
      #expect((error as? NFCError)?.code == .unsupported, "\(error)")
    }
    #expect((procedure.session == nil) == (capability == 1))
  }

  @Test(arguments: MIFAREPlusCommunication.allCases, MIFAREPlusSecureMessaging.allCases)
  func everyFaultOfReading(
    _ communication: MIFAREPlusCommunication, _ messaging: MIFAREPlusSecureMessaging
  ) throws {
    for fault in VirtualCard.Fault.allCases {
      for index in 0..<2 {
        var (card, procedure) = try Self.opened(messaging)
        try procedure.write(4, Self.block, communication)
        card.setFault((index, fault))
        let first = try? procedure.read(4..<5, communication)
        let second = try? procedure.read(4..<5, communication)
        #expect((first == nil) == (index == 0) && first.map { $0 == Self.block } ?? true)
        #expect(second == nil, "\(fault) at \(index)")
        #expect(procedure.session == nil)
      }
    }
  }

  /// A wrong key, a command before an authentication, and the second half of an authentication before the
  /// first.
  @Test func wrongOrder() throws {
    let card = Card()
    var procedure = card.procedure
    let address = try #require(MIFAREPlusKeyAddress(sector: 1))
    let early = #expect(throws: NFCError.self) {
      try procedure.write(4, Self.block, .plain)
    }
    #expect(early?.code == .notAuthenticated)
    let wrong = #expect(throws: NFCError.self) { try procedure.authenticate(address, Self.new) }
    #expect(wrong?.code == .authenticationFailed)
    #expect(card.memory == Card().memory)
    try procedure.authenticate(address, Self.factory)
    // The sector's key does not open any other sector.
    let other = #expect(throws: NFCError.self) { try procedure.write(8, Self.block, .plain) }
    #expect(other?.code == .notAuthenticated)
    #expect(procedure.session == nil)
  }
}
