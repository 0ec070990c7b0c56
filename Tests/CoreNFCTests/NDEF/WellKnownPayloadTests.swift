import CoreNFC
import Foundation
import NFC
import Testing

/// Links and texts, both ways.
@Suite struct WellKnownPayloadTests {
  /// URI RTD 1.0, 3.2.2: the prefixes; A.1: example.
  @Test(arguments: [
    ("http://www.nfc.com", "016E66632E636F6D"), ("https://www.a.b", "02612E62"),
    ("https://a.b", "04612E62"), ("tel:+35891234567", "052B3335383931323334353637"),
    ("urn:nfc:x", "2378"), ("x:y", "00783A79"), ("", "00"),
  ])
  func linksAreAbbreviated(link: String, payload: String) throws {
    let record = try #require(NFCNDEFPayload.wellKnownTypeURIPayload(string: link))
    #expect(record.typeNameFormat == .nfcWellKnown)
    #expect(record.type == Data("U".utf8))
    #expect(record.identifier.isEmpty)
    #expect(record.payload.hexadecimal == payload)
    #expect(record.wellKnownTypeURIPayload()?.absoluteString ?? "" == link)
    guard let url = URL(string: link) else { return }
    #expect(
      NFCNDEFPayload.wellKnownTypeURIPayload(url: url)?.payload.hexadecimal == payload)
  }

  @Test func whatIsNotALinkGivesNone() {
    let records = [
      NFCNDEFPayload(
        format: .media, type: Data("U".utf8), identifier: Data(), payload: Data([0, 0x78])),
      NFCNDEFPayload(
        format: .nfcWellKnown, type: Data("T".utf8), identifier: Data(), payload: Data([0, 0x78])),
      NFCNDEFPayload(
        format: .nfcWellKnown, type: Data("U".utf8), identifier: Data(), payload: Data()),
      // No UTF-8.
      NFCNDEFPayload(
        format: .nfcWellKnown, type: Data("U".utf8), identifier: Data(), payload: Data([0, 0xFF])),
    ]
    for record in records { #expect(record.wellKnownTypeURIPayload() == nil) }
  }

  /// Text RTD 1.0, 3.2: status byte, language, text; C.1: "Hello, world!" in English.
  @Test(arguments: [
    ("en", "Hello, world!", "02656E48656C6C6F2C20776F726C6421", "en"),
    ("en_US", "a", "02656E61", "en"), ("de-AT", "ü", "026465C3BC", "de"),
    ("ja", "漢", "026A61E6BCA2", "ja"),
  ])
  func texts(locale: String, text: String, payload: String, language: String) throws {
    let record = try #require(
      NFCNDEFPayload.wellKnownTypeTextPayload(string: text, locale: Locale(identifier: locale)))
    #expect(record.typeNameFormat == .nfcWellKnown)
    #expect(record.type == Data("T".utf8))
    #expect(record.payload.hexadecimal == payload)
    let misspelled = NFCNDEFPayload.wellKnowTypeTextPayload(
      string: text, locale: Locale(identifier: locale))
    #expect(misspelled?.payload == record.payload)
    let (read, readLocale) = record.wellKnownTypeTextPayload()
    #expect(read == text)
    #expect(readLocale?.language.languageCode?.identifier == language)
  }

  /// UTF-16 with and without a byte order mark (Text RTD 1.0, 3.4).
  @Test(arguments: ["8265 6E 0061", "8265 6E FEFF0061", "8265 6E FFFE6100"])
  func textsInUTF16(payload: String) throws {
    let record = NFCNDEFPayload(
      format: .nfcWellKnown, type: Data("T".utf8), identifier: Data(),
      payload: Data(try #require([UInt8](hexadecimal: payload))))
    #expect(record.wellKnownTypeTextPayload().0 == "a")
  }

  @Test func aTextWithoutALanguageIsOfAnUndeterminedOne() throws {
    let record = try #require(
      NFCNDEFPayload.wellKnownTypeTextPayload(string: "a", locale: Locale(identifier: "")))
    #expect(record.payload.hexadecimal == "03756E6461")
  }

  @Test func whatIsNotTextGivesNone() {
    for payload in [Data(), Data([0x3F, 0x65]), Data([0x02, 0x65, 0x6E, 0xFF])] {
      let record = NFCNDEFPayload(
        format: .nfcWellKnown, type: Data("T".utf8), identifier: Data(), payload: payload)
      let (text, locale) = record.wellKnownTypeTextPayload()
      #expect(text == nil)
      #expect(locale == nil)
    }
    let link = NFCNDEFPayload.wellKnownTypeURIPayload(string: "x:y")
    #expect(link?.wellKnownTypeTextPayload().0 == nil)
  }

  /// Factories make objects of the class that they are asked of.
  @Test func subclassesMakeTheirOwn() {
    final class Marked: NFCNDEFPayload {}
    #expect(Marked.wellKnownTypeURIPayload(string: "x:y") as Any is Marked)
  }
}
