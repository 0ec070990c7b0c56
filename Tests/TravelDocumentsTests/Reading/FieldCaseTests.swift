import SwiftNFCCore
import Testing

@testable import TravelDocuments

/// What documents in the field do.
@Suite struct FieldCaseTests {
  private static func password() throws -> AccessPassword {
    try AccessPassword(documentNumber: "L898902C3", birth: "740812", expiry: "120415")
  }

  /// A face of 20 480 bytes and small groups, as in the table of exchanges.
  private static func files(faceSize: Int = 20_480) throws -> [UInt16: [UInt8]] {
    let face = DER.object(0x75, [UInt8](repeating: 0x5A, count: faceSize - 4))
    return [
      0x011D: try Fixtures["sod-rsa"],
      0x011E: bytes("60145F0104303130365F36063034303030305C026175"),
      0x0101: try Fixtures["dg1"], 0x0102: face, 0x010C: try Fixtures["dg12"],
    ]
  }

  private static func read(
    _ habits: FieldChip.Habits, files: [UInt16: [UInt8]]? = nil, responseLength: Int = 262,
    commandLength: Int = 262, cardAccess: [UInt8] = [], groups: [Int] = [1, 2, 12],
    password: AccessPassword? = nil
  ) throws -> (chip: FieldChip, content: DocumentContent) {
    let own = try Self.password()
    let files = try files ?? Self.files()
    let chip = FieldChip(
      own, files, habits, cardAccess: cardAccess, commandLength: commandLength,
      responseLength: responseLength)
    let reading = DocumentReading(
      password: password ?? own,
      options: ReadingOptions(groups: Set(groups.compactMap { DataGroup($0) }), provesChip: false))
    try reading.run(over: chip)
    for (number, group) in [(0x0101, 1), (0x0102, 2), (0x010C, 12)] where groups.contains(group) {
      #expect(reading.content[try #require(DataGroup(group))] == files[UInt16(number)])
    }
    return (chip, reading.content)
  }

  // MARK: Exchanges

  /// The floor: access, and each file in parts as large as fit.
  private static func floor(_ files: [UInt16: [UInt8]], size: Int) -> Int {
    files.values.reduce(0) { $0 + ($1.count + size - 1) / size }
  }

  @Test(arguments: [(250, 223), (251, 223), (252, 231), (258, 231), (262, 231)])
  func theFloorIsReached(_ responseLength: Int, _ size: Int) throws {
    let files = try Self.files()
    let (chip, content) = try Self.read(FieldChip.Habits(), responseLength: responseLength)
    // EF.CardAccess is looked for, by its short identifier and by SELECT of the master file and of it.
    let access = 3 + 3
    #expect(chip.commands.count == access + Self.floor(files, size: size))
    #expect(content.exchangeCount == chip.commands.count)
    #expect((20_480 + size - 1) / size == (size == 223 ? 92 : 89))
    #expect(chip.activations == 1)
  }

  @Test func withoutShortIdentifiersOneMoreForAFile() throws {
    let files = try Self.files()
    for word in [UInt16(0x6A82), 0x6A86, 0x6B00, 0x6981, 0x6D00, 0x6986, 0x6700] {
      var habits = FieldChip.Habits()
      habits.shortIdentifiers = word
      let (chip, _) = try Self.read(habits, files: files)
      let isSize = [0x6B00, 0x6700].contains(word)
      // One more for each file, and one or the sizes to find it out.
      let most = 6 + Self.floor(files, size: 231) + files.count + (isSize ? 8 : 1)
      #expect(chip.commands.count <= most, "\(word)")
    }
  }

  // MARK: EF.CardAccess and the master file

  @Test(arguments: [0x6A82, 0x6283, 0x6982, 0x6A86, 0x6985, 0x6F00])
  func withoutCardAccessBAC(_ word: UInt16) throws {
    var habits = FieldChip.Habits()
    habits.cardAccess = word
    let (_, content) = try Self.read(habits)
    #expect(content.access == .basic)
  }

  @Test(arguments: [0x6A86, 0x6985, 0x6A87, 0x6D00, 0x9000])
  func theMasterFileIsSelectedInBothForms(_ word: UInt16) throws {
    // An entry of PACE in an unknown way: the file is read, and BAC is used with a remark.
    let unknown = bytes(
      "31143012060A04007F0007020204020202010202010D".replacing("0202010D", with: "02020163"))
    for first in [true, false] {
      var habits = FieldChip.Habits()
      habits.cardAccess = nil
      habits.startsOutsideOfMasterFile = true
      habits.shortIdentifiers = first ? 0x6A82 : nil
      habits.selectMasterFile = first ? [word, 0x9000] : [0x9000, word]
      if !first { habits.emptySelectionSelectsNothing = true }
      let (chip, content) = try Self.read(habits, cardAccess: unknown)
      #expect(content.cardAccess?.hasPACE == true)
      #expect(content.access == .basic)
      #expect(content.notes.count == 1)
      #expect(chip.activations == 1)
    }
  }

  // MARK: Sizes

  @Test(arguments: [192, 160, 128, 112])
  func smallerSizesAreTriedOnce(_ size: Int) throws {
    let files = try Self.files()
    for (word, isBare, counts) in [
      (UInt16(0x6700), false, false), (0x6700, true, false), (0x6700, true, true),
      (0x6B00, false, false), (0x6282, false, false), (0x9000, false, false),
      (0x6C00, false, false), (0x6C00, true, false),
    ] {
      var habits = FieldChip.Habits()
      habits.largestRead = size
      habits.tooLarge = word
      habits.refusesBare = isBare
      habits.countsBareAnswers = counts
      let (chip, content) = try Self.read(habits, files: files)
      // Where a bare answer was counted, access is repeated: the password is proven.
      let restarts = chip.activations - 1
      let most = 6 + Self.floor(files, size: size) + files.count + 5 + restarts * 12
      #expect(chip.commands.count <= most, "\(word) \(isBare) \(counts): \(chip.commands.count)")
      #expect(counts || restarts == 0)
      #expect(content.exchangeCount == chip.commands.count)
    }
  }

  @Test func theEndOfAFileIsNoError() throws {
    for warns in [true, false] {
      var habits = FieldChip.Habits()
      habits.warnsAtEnd = warns
      _ = try Self.read(habits)
    }
  }

  @Test func zerosAfterAFileAreCut() throws {
    var files = try Self.files()
    for key in files.keys { files[key]? += [UInt8](repeating: 0, count: 30) }
    let chip = FieldChip(try Self.password(), files)
    let reading = DocumentReading(
      password: try Self.password(),
      options: ReadingOptions(groups: [.zone, .face], provesChip: false))
    try reading.run(over: chip)
    #expect(reading.content[.zone] == (try Fixtures["dg1"]))
    #expect(reading.content[.face]?.count == 20_480)
  }

  @Test func indefiniteLengths() throws {
    var files = try Self.files()
    files[0x011D] = try Fixtures["sod-ber"] + [0, 0, 0]
    let (_, content) = try Self.read(FieldChip.Habits(), files: files)
    #expect(content[.securityObject] == (try Fixtures["sod-ber"]))
  }

  @Test func largeFilesNeedOffsetsInObjects() throws {
    let files = try Self.files(faceSize: 70_000)
    let (chip, _) = try Self.read(FieldChip.Habits(), files: files)
    #expect(chip.commands.contains { $0.instructionCode == 0xB1 })
    var habits = FieldChip.Habits()
    habits.knowsLargeOffsets = false
    let other = FieldChip(try Self.password(), files, habits)
    let reading = DocumentReading(
      password: try Self.password(), options: ReadingOptions(provesChip: false))
    try reading.run(over: other)
    #expect(reading.content[.face] == nil)
    #expect(reading.content.unreadable["DG2"] != nil)
    #expect(reading.content[.zone] != nil)
  }

  @Test func partsOfAnswersAreCollected() throws {
    var habits = FieldChip.Habits()
    habits.responsePart = 100
    _ = try Self.read(habits)
  }

  // MARK: Access

  @Test func aDocumentWithoutProtection() throws {
    for word in [UInt16(0x6D00), 0x6985, 0x6982] {
      var habits = FieldChip.Habits()
      habits.isOpen = true
      habits.challenge = word
      let (_, content) = try Self.read(habits)
      #expect(content.access == .open)
    }
    var habits = FieldChip.Habits()
    habits.isOpen = true
    let reading = DocumentReading(password: nil, options: ReadingOptions(provesChip: false))
    try reading.run(over: FieldChip(try Self.password(), try Self.files(), habits))
    #expect(reading.content.access == .open)
    #expect(reading.content.zone?.surname == "ERIKSSON")
  }

  @Test(arguments: [
    (0x6A88, "notAuthenticated"), (0x6300, "authenticationFailed"),
    (0x6982, "authenticationFailed"),
  ])
  func aRefusedAccessIsNotRepeated(_ word: UInt16, _ code: String) throws {
    var habits = FieldChip.Habits()
    habits.authentication = word
    let chip = FieldChip(try Self.password(), try Self.files(), habits)
    let reading = DocumentReading(password: try Self.password())
    let error = #expect(throws: NFCError.self) { try reading.run(over: chip) }
    #expect(error?.code.description == code)
    #expect(chip.commands.filter { $0.instructionCode == 0x82 }.count == 1)
    #expect(!reading.canContinue)
    #expect(!"\(String(describing: error))".contains("898902"))
  }

  @Test func anotherZoneIsTriedOnce() throws {
    let other = try AccessPassword(documentNumber: "L898902C4", birth: "740812", expiry: "120415")
    let chip = FieldChip(try Self.password(), try Self.files())
    let reading = DocumentReading(password: other)
    let error = #expect(throws: NFCError.self) { try reading.run(over: chip) }
    #expect(error?.code == .authenticationFailed)
    #expect(chip.commands.filter { $0.instructionCode == 0x82 }.count == 1)
  }

  @Test func theNumberOpensNoBAC() throws {
    let chip = FieldChip(try Self.password(), try Self.files())
    let reading = DocumentReading(password: AccessPassword(cardAccessNumber: "123456"))
    let error = #expect(throws: NFCError.self) { try reading.run(over: chip) }
    #expect(error?.code == .notAuthenticated)
    #expect(!chip.commands.contains { $0.instructionCode == 0x82 })
    #expect(reading.canContinue)
  }

  @Test func withoutAPasswordNothingIsTried() throws {
    let chip = FieldChip(try Self.password(), try Self.files())
    let error = #expect(throws: NFCError.self) {
      try DocumentReading(password: nil).run(over: chip)
    }
    #expect(error?.code == .notAuthenticated)
  }

  // MARK: Sessions

  @Test func aSessionThatEndsIsOpenedAgain() throws {
    for index in [0, 1, 5, 40] {
      var habits = FieldChip.Habits()
      habits.endsSessionAfter = index
      let (chip, _) = try Self.read(habits)
      #expect(chip.activations == 2)
      #expect(chip.commands.filter { $0.instructionCode == 0x82 }.count == 2)
    }
  }

  @Test func aDeadChipIsActivatedAgain() throws {
    var habits = FieldChip.Habits()
    habits.endsSessionAfter = 3
    habits.isDeadAfterEnd = true
    let (chip, _) = try Self.read(habits)
    #expect(chip.activations == 2)
  }

  @Test func whatIsAlteredEndsTheReading() throws {
    for index in 1...12 {
      var habits = FieldChip.Habits()
      habits.altersAnswer = index
      let chip = FieldChip(try Self.password(), try Self.files(), habits)
      let reading = DocumentReading(
        password: try Self.password(), options: ReadingOptions(provesChip: false))
      let error = #expect(throws: NFCError.self) { try reading.run(over: chip) }
      #expect(error == ChipChannel.altered)
    }
  }

  @Test func aBareSuccessIsNone() throws {
    var habits = FieldChip.Habits()
    habits.bareSuccess = 2
    let chip = FieldChip(try Self.password(), try Self.files(), habits)
    let error = #expect(throws: NFCError.self) {
      try DocumentReading(password: try Self.password()).run(over: chip)
    }
    #expect(error == ChipChannel.altered)
    habits = FieldChip.Habits()
    habits.changesOuterStatus = true
    habits.closed = [0x0102]
    let other = #expect(throws: NFCError.self) {
      try DocumentReading(password: try Self.password()).run(
        over: FieldChip(try Self.password(), try Self.files(), habits))
    }
    #expect(other == ChipChannel.altered)
  }

  // MARK: Groups

  @Test func aClosedGroupIsLeftOut() throws {
    var habits = FieldChip.Habits()
    habits.closed = [0x010C]
    let (_, content) = try Self.read(habits, groups: [1, 2])
    #expect(content.unreadable.isEmpty)
    let chip = FieldChip(try Self.password(), try Self.files(), habits)
    let reading = DocumentReading(
      password: try Self.password(), options: ReadingOptions(provesChip: false))
    try reading.run(over: chip)
    #expect(reading.content.unreadable.keys.contains("DG12"))
    #expect(reading.content.groups.map(\.number) == [1, 2])
    // Signed, and not there.
    #expect(reading.content.absentGroups.map(\.number) == [14, 15])
  }

  @Test func biometricGroupsAreNeverAskedFor() throws {
    #expect(DataGroup(3) == nil)
    #expect(DataGroup(4) == nil)
    #expect(!DataGroup.all.contains { [3, 4].contains($0.number) })
    var files = try Self.files()
    files[0x0103] = bytes("6300")
    files[0x0104] = bytes("7600")
    files[0x011E] = bytes("60165F0104303130365F36063034303030305C0461756376")
    let chip = FieldChip(try Self.password(), files)
    let reading = DocumentReading(password: try Self.password())
    try reading.run(over: chip)
    // Neither by short identifier nor by SELECT; the identifiers are in what is protected, so the chip is asked.
    #expect(!chip.commands.contains { $0.instructionCode == 0xB0 && [0x83, 0x84].contains($0.p1) })
    #expect(reading.content.groups.allSatisfy { ![3, 4].contains($0.number) })
  }

  @Test func brokenLengthsAreErrors() throws {
    for face in [
      "75847FFFFFFF00", "75", "7580", "758400", "7585FFFFFFFFFF", "6100", "7F", "75830FFFFF00",
    ] {
      var files = try Self.files()
      files[0x0102] = bytes(face)
      let chip = FieldChip(try Self.password(), files)
      let reading = DocumentReading(
        password: try Self.password(), options: ReadingOptions(provesChip: false))
      try reading.run(over: chip)
      #expect(reading.content[.face] == nil, "\(face)")
      #expect(reading.content.unreadable["DG2"] != nil)
      #expect(chip.commands.count < 60)
    }
  }

  // MARK: Extended lengths

  @Test func extendedLengthsWhereTheyAreStated() throws {
    let files = try Self.files()
    // No EF.ATR/INFO: nothing is longer.
    let (plain, _) = try Self.read(
      FieldChip.Habits(), files: files, responseLength: 65_538, commandLength: 65_544)
    #expect(plain.commands.allSatisfy { !$0.isExtended })
    for (stated, reads) in [("0203010000", 1), ("02021000", 6), ("02020400", 21)] {
      var habits = FieldChip.Habits()
      habits.attributes = DER.object(0x7F66, bytes("02020400") + bytes(stated))
      let (chip, _) = try Self.read(
        habits, files: files, responseLength: 65_538, commandLength: 65_544)
      #expect(chip.commands.contains { $0.isExtended })
      // DG2 is the last file.
      let face = chip.commands.lastIndex { $0.instructionCode == 0xB0 && $0.p1 == 0x82 } ?? 0
      #expect(chip.commands.count - face == reads, "\(stated)")
    }
    // Over libnfc, the file is not even asked for.
    var habits = FieldChip.Habits()
    habits.attributes = DER.object(0x7F66, bytes("020204000203010000"))
    let (short, _) = try Self.read(habits, files: files)
    #expect(!short.commands.contains { $0.p1 == 0x81 && $0.instructionClass == 0 })
  }

  @Test func refusedExtendedLengthsAreNotUsedAgain() throws {
    var habits = FieldChip.Habits()
    habits.attributes = DER.object(0x7F66, bytes("020204000203010000"))
    habits.largestRead = 231
    let files = try Self.files()
    let (chip, _) = try Self.read(
      habits, files: files, responseLength: 65_538, commandLength: 65_544)
    #expect(chip.commands.filter(\.isExtended).count == 1)
  }

  // MARK: Chip authentication

  /// - Parameter change: changes the entries of data group 14, whose hash then differs.
  private static func prove(
    _ key: [UInt8]?, change: ([UInt8]) -> [UInt8] = { $0 }
  ) throws -> (FieldChip, DocumentContent) {
    let files: [UInt16: [UInt8]] = [
      0x011D: try Fixtures["sod-rsa"], 0x0101: try Fixtures["dg1"], 0x0102: try Fixtures["dg2"],
      0x010C: try Fixtures["dg12"], 0x010E: change(try Fixtures["dg14"]),
      0x010F: try Fixtures["dg15"],
    ]
    var habits = FieldChip.Habits()
    habits.chipKey = key
    let chip = FieldChip(try password(), files, habits)
    let reading = DocumentReading(password: try password())
    try reading.run(over: chip)
    #expect(reading.content.groups.map(\.number) == [1, 2, 12, 14, 15])
    return (chip, reading.content)
  }

  @Test func aChipProvesItsKey() throws {
    let (chip, content) = try Self.prove(try Fixtures["cam-private"])
    #expect(chip.activations == 1)
    // The keys are those of AES from then on.
    #expect(chip.commands.filter { $0.instructionCode == 0x22 }.count == 1)
    #expect(try content.verdict(trust: Fixtures.store("csca-rsa")).chip == .genuine)
    #expect(content.verdict(trust: nil).chip == .notChecked)
  }

  /// Triple DES by MSE:Set KAT: the entry says so, or there is none.
  @Test func aChipProvesItsKeyWithTripleDES() throws {
    let identifier = bytes("060A04007F00070202030202")
    for last in [UInt8(1), 9] {
      let (chip, content) = try Self.prove(try Fixtures["cam-private"]) { file in
        var file = file
        if let range = file.firstRange(of: identifier) { file[range.upperBound - 1] = last }
        return file
      }
      #expect(chip.commands.contains { $0.instructionCode == 0x22 && $0.p2 == 0xA6 })
      #expect(content.state.chipAuthentication == .proven)
      // It is not the signed group.
      #expect(try content.verdict(trust: Fixtures.store("csca-rsa")).chip != .genuine)
    }
  }

  @Test func aCopyDoesNotHaveTheKey() throws {
    let (chip, content) = try Self.prove([UInt8](repeating: 7, count: 32))
    // It was read in a new session.
    #expect(chip.activations == 2)
    let verdict = try content.verdict(trust: Fixtures.store("csca-rsa"))
    #expect(verdict.chip == .clone)
    #expect(verdict.data == .unchanged && verdict.issuer == .trusted)
    #expect(!verdict.isTrusted)
  }

  @Test func aRefusalIsNoCopy() throws {
    let (_, content) = try Self.prove(nil)
    let verdict = try content.verdict(trust: Fixtures.store("csca-rsa"))
    #expect(verdict.chip == .notChecked)
    #expect(verdict.remarks.contains { $0.contains("refuses chip authentication") })
  }
}
