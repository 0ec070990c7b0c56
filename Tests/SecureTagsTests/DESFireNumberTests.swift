import NFC
import Testing
import VirtualNFC

@testable import SecureTags

/// Numbers that a program chooses and that no card has: they are refused before anything is sent. A card would receive
/// their lowest bits, so that key 14 would be everyone.
@Suite struct DESFireNumberTests {
  private static let good = DESFireAccessRights(
    read: .everyone, write: .key(0), readWrite: .key(13), change: .key(0))

  private static func rights(_ number: Int) -> [DESFireAccessRights] {
    let parts: [WritableKeyPath<DESFireAccessRights, DESFireAccess>] = [
      \.read, \.write, \.readWrite, \.change,
    ]
    return parts.map { part in
      var rights = good
      rights[keyPath: part] = .key(number)
      return rights
    }
  }

  private static func procedure() throws -> (VirtualCard, DESFireProcedure) {
    let (card, procedure) = try ProcedureTests.application(Way.all[3])
    card.setFault()
    return (card, procedure)
  }

  private func refuses(_ body: (inout DESFireProcedure) throws -> Void) throws {
    var (card, procedure) = try Self.procedure()
    let error = #expect(throws: NFCError.self) { try body(&procedure) }
    #expect(error?.code == .invalidParameter && error?.recovery == nil)
    #expect(card.count == 0 && procedure.state.session != nil)
  }

  @Test(arguments: [14, 15, 16, -1, Int.max, .min]) func keysOfRights(_ number: Int) throws {
    for rights in Self.rights(number) {
      var settings = ProcedureTests.file(.standardData(size: 20), .encrypted)
      let old = settings
      settings.rights = rights
      try refuses { try $0.createFile(1, settings, isoIdentifier: nil) }
      try refuses { try $0.changeFileSettings(1, from: old, to: settings) }
      settings = old
      settings.additionalRights = [Self.good, rights]
      try refuses { try $0.changeFileSettings(1, from: old, to: settings) }
      var macRights = rights
      macRights.write = rights.write == .key(number) ? rights.write : .nobody
      let macKey = DESFireKey.factory(.aes)
      try refuses { try $0.createTransactionMACFile(9, .plain, macRights, macKey) }
      let setup = NTAG424Setup(
        link: try NTAG424Link("https://a.example/?p={picc}&c={mac}"), rights: rights)
      #expect(throws: NFCError.self) { try setup.check() }
    }
    let settings = DESFireKeySettings(keyChange: .key(number))
    try refuses { try $0.changeKeySettings(settings) }
    let plan = DESFireApplicationDescription(
      Way.application, keyCount: 1, kind: .aes, settings: settings)
    #expect(throws: NFCError.self) { try plan.validate() }
  }

  @Test(arguments: [-1, 0x100_0000, Int.max, .min]) func placesOfDynamicMessages(_ place: Int)
    throws
  {
    let mac = NTAG424DynamicMessaging.Authentication(key: 1, inputOffset: 40, offset: 40)
    let good = NTAG424DynamicMessaging(
      identity: .encrypted(key: 1, offset: 0, hasUID: true, hasCounter: true), authentication: mac)
    let changes: [(inout NTAG424DynamicMessaging) -> Void] = [
      { $0.identity = .plain(uidOffset: place, counterOffset: nil) },
      { $0.identity = .plain(uidOffset: nil, counterOffset: place) },
      { $0.identity = .encrypted(key: 1, offset: place, hasUID: true, hasCounter: true) },
      { $0.identity = .encrypted(key: 14, offset: 0, hasUID: true, hasCounter: true) },
      { $0.counterLimit = place }, { $0.counterRetrieval = .key(15) },
      { $0.authentication?.inputOffset = place }, { $0.authentication?.offset = place },
      { $0.authentication?.key = 15 },
      { $0.authentication?.fileData = 0..<0x100_0000 },
    ]
    let old = ProcedureTests.file(.standardData(size: 20), .encrypted)
    for change in changes {
      var settings = old
      settings.dynamicMessaging = good
      if let messaging = settings.dynamicMessaging {
        var changed = messaging
        change(&changed)
        settings.dynamicMessaging = changed
      }
      try refuses { try $0.changeFileSettings(1, from: old, to: settings) }
    }
  }

  /// What is skipped, and where reading begins: any number gives an error.
  @Test func placesInFiles() throws {
    var (card, procedure) = try Self.procedure()
    let records = DESFireRecordSettings(recordSize: 10, maximumCount: 3)
    try procedure.createFile(
      1, ProcedureTests.file(.cyclicRecords(records), .encrypted), isoIdentifier: nil)
    try procedure.createFile(
      2, ProcedureTests.file(.standardData(size: 20), .encrypted), isoIdentifier: nil)
    try procedure.writeRecord(1, offset: 0, [1, 2, 3])
    try procedure.commit()
    card.setFault()
    for number in [-1, Int.min, .max, 2] {
      for count in [nil, 0, 1, Int.max, .min] {
        let error = #expect(throws: NFCError.self) {
          try procedure.readRecords(1, skip: number, count: count)
        }
        #expect(error?.code == .invalidParameter, "\(number), \(count ?? 99)")
      }
    }
    for number in [-1, Int.min, .max, 21] {
      for count in [nil, 0, 1, Int.max, .min] {
        let error = #expect(throws: NFCError.self) {
          try procedure.readData(2, offset: number, count: count)
        }
        #expect(error?.code == .invalidParameter, "\(number), \(count ?? 99)")
      }
    }
    #expect(try procedure.readRecords(1, skip: 0, count: nil).count == 1)
    #expect(try procedure.readRecords(1, skip: 1, count: nil).isEmpty)
    #expect(try procedure.readData(2, offset: 20, count: nil).isEmpty)
  }
}
