import SwiftNFCCore
import TestSupport
import Testing
import VirtualNFC

@testable import SecureTags

/// Tests key sets, which are prepared key by key and put into use at once.
@Suite(.replayed) struct KeySetTests {
  private static let way = Way(model: .ev3, generation: .ev3, method: .ev2First, kind: .aes)

  private static func key(_ byte: UInt8) throws -> DESFireKey {
    try DESFireKey(.aes, bytes: [UInt8](repeating: byte, count: 16), version: byte)
  }

  /// An application with two keys and three sets, authenticated with its master key.
  private static func application() throws -> (VirtualCard, DESFireProcedure) {
    let card = VirtualCard(DESFire(way.model, formatted: false))
    var procedure = card.procedure(way.generation)
    try procedure.select(.card)
    try procedure.createApplication(
      DESFireApplicationDescription(
        Way.application, keyCount: 2, kind: .aes, isoIdentifier: 0xDF05, name: [1, 2],
        keySets: DESFireKeySets(count: 3, version: 1)))
    try procedure.select(Way.application)
    try procedure.authenticate(0, .factory(.aes), by: .ev2First)
    card.setFault()
    return (card, procedure)
  }

  private static func prepare(_ procedure: inout DESFireProcedure) throws {
    try procedure.initializeKeySet(1)
    for number in UInt8(0)...1 {
      try procedure.changeKey(number, ofSet: 1, from: .factory(.aes), to: key(number + 0x30))
    }
    try procedure.finalizeKeySet(1, version: 2)
  }

  @Test func parameters() throws {
    let plan = DESFireApplicationDescription(
      Way.application, keyCount: 3, kind: .aes, isoIdentifier: 0xDF05, name: [0xA1],
      keySets: DESFireKeySets(count: 4, version: 9, rollKey: 2))
    // Identifier, settings, keys, third settings, version, sets, size, key, ISO identifier, name.
    #expect(plan.parameters.hexadecimal == "563412" + "0F" + "93" + "0109041002" + "05DFA1")
    for sets in [
      DESFireKeySets(count: 1), DESFireKeySets(count: 17), DESFireKeySets(count: 2, rollKey: 3),
    ] {
      var plan = plan
      plan.keySets = sets
      let error = #expect(throws: NFCError.self) { try plan.validate() }
      #expect(error?.code == .invalidParameter)
    }
  }

  /// GetKeyVersion with a set, and with all sets, as NXP's reader library and liblogicalaccess send it.
  @Test func versionsOfSets() throws {
    let (card, first) = try Self.application()
    var procedure = first
    try Self.prepare(&procedure)
    try procedure.select(.card)
    try procedure.select(Way.application)
    func ask(_ key: UInt8, _ set: UInt8) throws -> [UInt8] {
      try card.procedure(Self.way.generation).transport.send(
        .getKeyVersion, [key | 0x40, set]
      ).data
    }
    #expect(try ask(0, 0x80) == [1, 2, 0])
    #expect(try ask(1, 0) == [0])
    #expect(try ask(1, 1) == [0x31])
  }

  @Test func rolled() throws {
    let (_, first) = try Self.application()
    var procedure = first
    try Self.prepare(&procedure)
    // Nothing has changed yet.
    try procedure.authenticate(1, .factory(.aes), by: .ev2First)
    let right = #expect(throws: NFCError.self) { try procedure.rollKeySet(1) }
    #expect(right?.code == .notAuthenticated)
    try procedure.authenticate(0, .factory(.aes), by: .ev2First)
    let early = #expect(throws: NFCError.self) { try procedure.rollKeySet(2) }
    #expect(early?.cause == .desfireStatus(0x9D))
    try procedure.authenticate(0, .factory(.aes), by: .ev2First)
    try procedure.rollKeySet(1)
    #expect(procedure.state.session == nil)
    for number in UInt8(0)...1 {
      try procedure.authenticate(number, Self.key(number + 0x30), by: .ev2First)
      #expect(try procedure.keyVersion(number) == number + 0x30)
    }
    let old = #expect(throws: NFCError.self) {
      try procedure.authenticate(0, .factory(.aes), by: .ev2First)
    }
    #expect(old?.code == .authenticationFailed)
  }

  @Test func refused() throws {
    var (card, procedure) = try Self.application()
    try procedure.initializeKeySet(2)
    let wrong = #expect(throws: NFCError.self) {
      try procedure.changeKey(0, ofSet: 2, from: Self.key(5), to: Self.key(6))
    }
    #expect(wrong?.cause == .desfireStatus(0x1E))
    let session = #expect(throws: NFCError.self) { try procedure.finalizeKeySet(2, version: 1) }
    #expect(session?.code == .notAuthenticated)
    (card, procedure) = try Self.application()
    let kind = #expect(throws: NFCError.self) {
      try procedure.changeKey(0, ofSet: 1, from: .factory(.aes), to: .factory(.des))
    }
    #expect(kind?.code == .invalidParameter)
    #expect(card.count == 0)
    // An application without sets: the card refuses it, not this package.
    let (model, plain) = try ProcedureTests.application(Self.way)
    var other = plain
    try #require(other.state.session?.messaging is any TransactionMessaging)
    model.setFault()
    let missing = #expect(throws: NFCError.self) { try other.initializeKeySet(1) }
    #expect(missing?.cause == .desfireStatus(0x9D))
    #expect(model.count == 1)
  }

  /// At each exchange, either the old set or the new one is in use, never a mixture.
  @Test func faults() throws {
    var (model, procedure) = try Self.application()
    func change(_ procedure: inout DESFireProcedure) throws {
      try Self.prepare(&procedure)
      try procedure.rollKeySet(1)
    }
    try change(&procedure)
    let count = model.count
    #expect(count == 5)
    var seen: Set<Bool> = []
    for index in 0..<count {
      for fault in VirtualCard.Fault.allCases {
        (model, procedure) = try Self.application()
        model.setFault((index, fault))
        var failed = false
        do { try change(&procedure) } catch { failed = true }
        model.setFault()
        model.restart()
        procedure = model.procedure(Self.way.generation)
        try procedure.select(Way.application)
        var opened: [Bool] = []
        for number in UInt8(0)...1 {
          for key in [DESFireKey.factory(.aes), try Self.key(number + 0x30)] {
            do {
              try procedure.authenticate(number, key, by: .ev2First)
              opened.append(true)
            } catch { opened.append(false) }
          }
        }
        let isOld = opened == [true, false, true, false]
        let isNew = opened == [false, true, false, true]
        #expect(isOld || isNew, "\(fault) at \(index)")
        #expect(failed || isNew, "\(fault) at \(index)")
        // Until the last command, nothing has changed; a lost command changes nothing, and a lost answer does.
        if index < count - 1 { #expect(!failed || isOld, "\(fault) at \(index)") }
        if index == count - 1, fault.losesTag {
          #expect(isNew == (fault == .answerLost), "\(fault)")
        }
        seen.insert(isNew)
      }
    }
    #expect(seen == [true, false])
  }
}
