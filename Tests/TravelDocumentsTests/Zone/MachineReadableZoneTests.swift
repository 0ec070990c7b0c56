import SwiftNFCCore
import Testing

@testable import TravelDocuments

/// The specimens of Doc 9303, parts 4 to 6, and what is wrong in zones that people type.
@Suite struct MachineReadableZoneTests {
  private static let td3 = """
    P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<
    L898902C36UTO7408122F1204159ZE184226B<<<<<10
    """
  private static let td1 = """
    I<UTOD231458907<<<<<<<<<<<<<<<
    7408122F1204159UTO<<<<<<<<<<<6
    ERIKSSON<<ANNA<MARIA<<<<<<<<<<
    """
  private static let td2 = """
    I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<
    D231458907UTO7408122F1204159<<<<<<<6
    """
  private static let longTD1 = """
    I<UTOD23145890<7349<<<<<<<<<<<
    3407127M9507122UTO<<<<<<<<<<<2
    STEVENSON<<PETER<JOHN<<<<<<<<<
    """
  private static let longTD2 = """
    I<UTOSTEVENSON<<PETER<JOHN<<<<<<<<<<
    D23145890<UTO3407127M95071227349<<<8
    """

  @Test func passport() throws {
    let zone = try MachineReadableZone(Self.td3)
    #expect(zone.problems.isEmpty)
    #expect(zone.format == .td3)
    #expect(zone.documentCode == "P")
    #expect(zone.issuingState == "UTO")
    #expect(zone.surname == "ERIKSSON")
    #expect(zone.givenNames == "ANNA MARIA")
    #expect(zone.documentNumber == "L898902C3")
    #expect(zone.nationality == "UTO")
    #expect(zone.birth == "740812")
    #expect(zone.sex == "F")
    #expect(zone.expiry == "120415")
    #expect(zone.optionalData == "ZE184226B")
    #expect(zone.lines == Self.td3.split(separator: "\n").map(String.init))
    #expect(String(decoding: zone.information, as: UTF8.self) == "L898902C3674081221204159")
  }

  @Test(arguments: [
    (td1, "TD1", "D23145890", "D231458907740812212 04159"),
    (td2, "TD2", "D23145890", "D231458907740812212 04159"),
    (longTD1, "TD1", "D23145890734", "D23145890734934071279507122"),
    (longTD2, "TD2", "D23145890734", "D23145890734934071279507122"),
  ])
  func cards(_ text: String, _ format: String, _ number: String, _ information: String) throws {
    let zone = try MachineReadableZone(text)
    #expect(zone.problems.isEmpty)
    #expect(zone.format.rawValue == format)
    #expect(zone.documentNumber == number)
    #expect(zone.optionalData.isEmpty)
    #expect(
      String(decoding: zone.information, as: UTF8.self) == information.filter { $0 != " " })
    // One line, small letters, and line ends of any kind.
    let joined = text.split(separator: "\n").joined()
    #expect(try MachineReadableZone(joined) == zone)
    #expect(
      try MachineReadableZone(text.lowercased().replacing("\n", with: " \r\n") + "\n") == zone)
  }

  @Test func fieldsMakeTheSamePassword() throws {
    for (text, number) in [(Self.td3, "L898902C3"), (Self.td1, "d23145890")] {
      let zone = try MachineReadableZone(text)
      let fields = try AccessPassword(
        documentNumber: number, birth: zone.birth, expiry: zone.expiry)
      #expect(try AccessPassword(zone).secret == fields.secret)
    }
    let long = try AccessPassword(documentNumber: "D23145890734", birth: "340712", expiry: "950712")
    #expect(try AccessPassword(MachineReadableZone(Self.longTD1)).secret == long.secret)
    // A short number has fillers.
    let short = try AccessPassword(documentNumber: "L898902C", birth: "690806", expiry: "940623")
    #expect(short.secret.hexadecimal == "239AB9CB282DAF66231DC5A4DF6BFBAEDF477565")
  }

  // MARK: What is wrong

  private static func td3(changing column: Int, to character: Character) -> String {
    var characters = Array(td3)
    characters[45 + column - 1] = character
    return String(characters)
  }

  @Test func everyWrongCharacterHasAPlace() throws {
    // Check digits at 10, 20, 28, 43, 44 of the second line.
    let changes: [(Int, Character, ZoneError.Kind, Int)] = [
      (1, "M", .checkDigit, 10), (10, "7", .checkDigit, 10), (14, "8", .checkDigit, 20),
      (14, "O", .letterForDigit, 14), (20, "I", .letterForDigit, 20),
      (22, "S", .letterForDigit, 22),
      (28, "8", .checkDigit, 28), (29, "A", .checkDigit, 43), (44, "1", .checkDigit, 44),
      (10, "G", .letterForDigit, 10),
    ]
    for (column, character, kind, place) in changes {
      let zone = try MachineReadableZone(Self.td3(changing: column, to: character))
      let problem = try #require(zone.problems.first)
      #expect(problem.kind == kind, "\(column) \(character)")
      #expect(problem.line == 2)
      #expect(problem.column == place, "\(column) \(character)")
      #expect(throws: ZoneError.self) { try AccessPassword(zone) }
      // Nothing of the zone is in the text.
      #expect(!problem.description.contains("898902"))
    }
    let wrong = #expect(throws: ZoneError.self) {
      try MachineReadableZone(Self.td3(changing: 3, to: "*"))
    }
    #expect(wrong?.kind == .character)
    #expect(wrong?.column == 3)
  }

  @Test func whatIsMeantIsSaid() throws {
    // O for 0 in the number: the check digit fits with a zero.
    let zone = try MachineReadableZone(Self.td3(changing: 6, to: "O"))
    #expect(zone.problems.first?.suggestion == "it would with 0 as character 6 of the number")
    let date = try MachineReadableZone(Self.td3(changing: 16, to: "O"))
    #expect(date.problems.first?.suggestion == "0 may be meant")
  }

  @Test(arguments: [
    "", "P<UTO", "L898902C36UTO7408122F1204159ZE184226B<<<<<10", td3 + "<", td1 + td2,
  ])
  func wrongSizes(_ text: String) {
    let error = #expect(throws: ZoneError.self) { try MachineReadableZone(text) }
    #expect(error?.kind == .size)
  }

  @Test func fieldsAreChecked() {
    for (number, birth, expiry, field) in [
      ("L8989*", "740812", "120415", ZoneError.Field.documentNumber),
      ("", "740812", "120415", .documentNumber), ("L898902C3", "74O812", "120415", .birth),
      ("L898902C3", "741312", "120415", .birth), ("L898902C3", "740812", "1204155", .expiry),
      ("L898902C3", "740812", "", .expiry), ("L898902C3", "1974-08-12", "120415", .birth),
    ] {
      let error = #expect(throws: ZoneError.self) {
        try AccessPassword(documentNumber: number, birth: birth, expiry: expiry)
      }
      #expect(error?.field == field)
    }
  }

  /// A filler counts as 0 where the optional data is empty.
  @Test func emptyOptionalDataWithAFiller() throws {
    let text =
      "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<L898902C36UTO7408122F1204159<<<<<<<<<<<<<<<6"
    let zone = try MachineReadableZone(text)
    #expect(!zone.problems.contains { $0.field == .optionalData })
  }

  @Test func anyCharactersGiveAValueOrAnError() {
    var generator = SystemRandomNumberGenerator()
    for size in [72, 88, 90, 71, 0, 44] {
      for _ in 0..<200 {
        let characters = (0..<size).map { _ in UInt8.random(in: 0x20...0x7E, using: &generator) }
        if let zone = try? MachineReadableZone(String(decoding: characters, as: UTF8.self)) {
          #expect(!zone.lines.isEmpty)
        }
        let valid = (0..<size).map { _ in
          "<0123456789ABCXYZ".utf8.randomElement(using: &generator) ?? 0x3C
        }
        if let zone = try? MachineReadableZone(valid) { _ = try? AccessPassword(zone) }
      }
    }
  }

  @Test func nothingIsShown() throws {
    let password = try AccessPassword(MachineReadableZone(Self.td3))
    for text in [
      "\(password)", String(reflecting: password), "\(Mirror(reflecting: password).children.count)",
    ] {
      #expect(!text.contains("898902"))
    }
    var text = ""
    dump(password, to: &text)
    #expect(!text.contains("898902"))
  }
}
