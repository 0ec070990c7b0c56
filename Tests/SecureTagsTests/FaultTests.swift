import SwiftNFCCore
import Testing
import VirtualNFC

@testable import SecureTags

/// Tests each change with a fault at each exchange: no wrong answer is accepted, and the card has either
/// its old or its new content.
@Suite struct FaultTests {
  struct Change: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Runs with the application selected and authenticated with its master key.
    let body: @Sendable (inout DESFireProcedure, Way) throws -> Void

    init(
      _ name: String, _ body: @escaping @Sendable (inout DESFireProcedure, Way) throws -> Void
    ) {
      testDescription = name
      self.body = body
    }
  }

  private static func newKey(_ way: Way) throws -> DESFireKey {
    try DESFireKey(
      way.kind, bytes: (1...(way.kind == .threeKeyTripleDES ? 24 : 16)).map { UInt8($0 * 2) },
      version: 0x42)
  }

  static let changes = [
    Change("own key") {
      try $0.changeKey(0, from: nil, to: newKey($1), isCard: false)
      try $0.authenticate(0, newKey($1), by: $1.method)
    },
    Change("other key") {
      try $0.changeKey(1, from: .factory($1.kind), to: newKey($1), isCard: false)
    },
    Change("key settings") { procedure, _ in
      try procedure.changeKeySettings(DESFireKeySettings(listsFreely: false))
    },
    Change("file settings") { procedure, _ in
      try procedure.changeFileSettings(
        1, communication: .plain,
        rights: DESFireAccessRights(
          read: .everyone, write: .key(0), readWrite: .key(0), change: .key(0)))
    },
    Change("value and backup file") { procedure, _ in
      try procedure.changeValue(3, .debit(7))
      try procedure.writeData(2, offset: 0, [1, 2, 3, 4, 5, 6, 7, 8])
      try procedure.commit()
    },
    Change("record") { procedure, _ in
      try procedure.writeRecord(4, offset: 0, [UInt8](repeating: 5, count: 70))
      try procedure.commit()
    },
    Change("new file") { procedure, _ in
      try procedure.createFile(
        9, ProcedureTests.file(.standardData(size: 20), .encrypted), isoIdentifier: nil)
    },
    Change("file deleted") { procedure, _ in try procedure.deleteFile(1) },
  ]

  private static func card(_ way: Way) throws -> (VirtualCard, DESFireProcedure) {
    var (card, procedure) = try ProcedureTests.application(way)
    let value = DESFireValueSettings(lowerLimit: 0, upperLimit: 100, initialValue: 50)
    let records = DESFireRecordSettings(recordSize: 70, maximumCount: 3)
    for (number, content) in [
      (UInt8(1), DESFireFileSettings.Content.standardData(size: 16)), (2, .backupData(size: 16)),
      (3, .value(value)), (4, .cyclicRecords(records)),
    ] {
      try procedure.createFile(
        number, ProcedureTests.file(content, .encrypted), isoIdentifier: nil)
    }
    card.setFault()
    return (card, procedure)
  }

  /// The visible content of the application afterwards, read with whichever of the two keys is valid.
  private static func content(_ card: VirtualCard, _ way: Way) throws -> [String] {
    card.setFault()
    card.restart()
    var procedure = card.procedure(way.generation)
    try procedure.select(Way.application)
    var facts: [String] = []
    for number in UInt8(0)..<2 {
      do {
        try procedure.authenticate(number, .factory(way.kind), by: way.method)
        facts.append("key \(number) old")
      } catch {
        try procedure.authenticate(number, newKey(way), by: way.method)
        facts.append("key \(number) new")
      }
    }
    try procedure.authenticate(
      0, facts[0] == "key 0 old" ? .factory(way.kind) : newKey(way), by: way.method)
    facts.append("\(try procedure.keySummary())")
    for file in try procedure.files() { facts.append("\(try procedure.fileSettings(file))") }
    return facts + [card.memory.hexadecimal]
  }

  @Test(arguments: changes, Way.all)
  func everyExchange(_ change: Change, _ way: Way) throws {
    var (model, procedure) = try Self.card(way)
    let before = try Self.content(try Self.card(way).0, way)
    try change.body(&procedure, way)
    let count = model.count
    let after = try Self.content(model, way)
    #expect(count > 0 && after != before)
    for index in 0..<count {
      for fault in VirtualCard.Fault.allCases {
        (model, procedure) = try Self.card(way)
        model.setFault((index, fault))
        var thrown: NFCError?
        do {
          try change.body(&procedure, way)
        } catch let error as NFCError {
          thrown = error
        }
        let place: Comment = "\(fault) at \(index): \(thrown.map { "\($0)" } ?? "nothing")"
        if fault.losesTag { #expect(thrown?.code == .tagConnectionLost, place) }
        if thrown == nil {
          // The only accepted answers are those of the same length without their last byte, or those that
          // the first generation sends without protection.
          #expect(way.method == .legacy || [.answerCut, .answerRepeated].contains(fault), place)
        } else {
          // An error of the driver itself does not change the card's session.
          #expect(thrown?.code == .invalidParameter || procedure.state.session == nil, place)
        }
        let content = try Self.content(model, way)
        #expect(content == before || content == after, place)
        if thrown == nil { #expect(content == after, place) }
      }
    }
  }

  /// Tests that a read returns the right data or an error, in every session with protected reads.
  @Test(arguments: Way.all) func reading(_ way: Way) throws {
    for fault in VirtualCard.Fault.allCases {
      for index in 0..<4 {
        var (card, procedure) = try Self.card(way)
        try procedure.writeData(1, offset: 0, [UInt8](repeating: 0x33, count: 16))
        card.setFault((index, fault))
        let data = try? procedure.readData(1, offset: 0, count: nil)
        #expect(
          data == nil || data == [UInt8](repeating: 0x33, count: 16), "\(fault) at \(index)")
        card.setFault((index, fault))
        let value = try? procedure.value(3)
        #expect(value == nil || value == 50, "\(fault) at \(index)")
      }
    }
  }

  /// Tests that a key change whose answer is lost reports how to continue.
  @Test func lostAnswerToKeyChange() throws {
    let way = Way.all[3]
    var (card, procedure) = try Self.card(way)
    card.setFault((0, .answerLost))
    let new = try Self.newKey(way)
    let error = #expect(throws: NFCError.self) {
      try procedure.changeKey(0, from: nil, to: new, isCard: false)
    }
    #expect(error?.recovery?.contains("authenticate with the new key") == true)
  }
}
