import NDEF
import Testing

@Suite struct VCardRecordTests {
  private func card(_ text: String, type: String = "text/vcard") throws -> VCardRecord {
    try VCardRecord(.media(type, Array(text.utf8)))
  }

  @Test func properties() throws {
    // After RFC 6350, 7.2.2 and 3.2 (folding), RFC 2426, 4 (grouping)
    let card = try card(
      """
      BEGIN:VCARD\r
      VERSION:4.0\r
      N:Perreault;Simon;;;ing. jr,M.Sc.\r
      FN:Simon\r
        Perreault\\, Jr.\r
      item1.TEL;VALUE=uri;TYPE="work:voice":tel:+1-418-656-9254\r
      tel:+1-1\r
      EMAIL;TYPE=work:simon@example.com\r
      NOTE:a\\nb\\\\c\r
      END:VCARD\r

      """)
    #expect(card.formattedName == "Simon Perreault, Jr.")
    #expect(card.name == ["Perreault", "Simon", "", "", "ing. jr,M.Sc."])
    #expect(card.telephones == ["+1-418-656-9254", "+1-1"])
    #expect(card.emails == ["simon@example.com"])
    #expect(card.properties.first { $0.name == "NOTE" }?.value == "a\nb\\c")
    let telephone = card.properties.first { $0.name == "TEL" }
    #expect(telephone?.parameters == ["VALUE=uri", "TYPE=\"work:voice\""])
    #expect(
      card.description
        == "Simon Perreault, Jr.: +1-418-656-9254, +1-1, simon@example.com")
  }

  /// vCard 2.1, as Android's contacts write it: the name's parts are divided in the encoded text, and a `=` at the end
  /// of a line continues it.
  @Test func quotedPrintableValues() throws {
    let card = try card(
      """
      BEGIN:VCARD\r
      VERSION:2.1\r
      N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=C3=B6rg;;;\r
      FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:J=C3=B6rg =\r
      =4D=C3=BCl=\r
      ler\r
      ORG;QUOTED-PRINTABLE;CHARSET=iso-8859-1:Caf=E9\r
      NOTE;ENCODING=QUOTED-PRINTABLE:1=3D1, =ZZ and =C3\r
      TEL;CELL:+1=\r
      END:VCARD\r

      """)
    #expect(card.formattedName == "Jörg Müller")
    #expect(card.name == ["Müller", "Jörg", "", "", ""])
    #expect(card.organization == "Café")
    // What is not UTF-8 stays encoded, and only an encoded value is continued.
    #expect(
      card.properties.first { $0.name == "NOTE" }?.value == "1=3D1, =ZZ and =C3")
    #expect(card.telephones == ["+1="])
    #expect(card.properties.last?.name == "END")
  }

  @Test func nameFromItsParts() throws {
    let card = try card("BEGIN:VCARD\nN:Public;John;Quinlan;Mr.;Esq.\nEND:VCARD\n")
    #expect(card.formattedName == "Mr. John Quinlan Public Esq.")
    #expect(try self.card("BEGIN:VCARD\nEND:VCARD").formattedName == nil)
  }

  @Test(arguments: ["text/vcard", "text/x-vCard", "TEXT/X-VCARD"])
  func mediaTypesAreKept(_ type: String) throws {
    let card = try card("BEGIN:VCARD\r\nFN:A\r\nEND:VCARD\r\n", type: type)
    #expect(card.mediaType == type)
    #expect(try VCardRecord(card.record) == card)
    #expect(try card.record.decoded is VCardRecord)
  }

  @Test func cardsAreMadeFromAName() throws {
    let card = VCardRecord(
      name: "Doe; Jane, \\x", telephones: ["+1"], emails: ["j@example.com"])
    let decoded = try VCardRecord(card.record)
    #expect(decoded == card)
    #expect(decoded.formattedName == "Doe; Jane, \\x")
    #expect(decoded.name.map { Array($0.prefix(2)) } == ["Doe; Jane", "\\x"])
    #expect(decoded.telephones == ["+1"])
    #expect(decoded.emails == ["j@example.com"])
  }

  @Test(arguments: [
    Malformed("", .invalidValue, at: 0),
    Malformed("424547494E3A5645564E54", .invalidValue, at: 0),
    Malformed("424547494E3A5643415244 FF", .invalidText, at: 0),
  ])
  func refuses(_ malformed: Malformed) {
    expectRefusal(of: malformed, by: VCardRecord.self, .media, "text/vcard")
  }
}
