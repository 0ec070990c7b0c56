import SwiftNFCCore
import Testing

@testable import TravelDocuments

/// Data groups 11, 12, 7 and 16, as documents in the field have them.
@Suite struct HolderDetailsTests {
  private static func text(_ tag: UInt32, _ text: String) -> [UInt8] {
    DER.object(tag, Array(text.utf8))
  }

  @Test func detailsOfTheHolder() throws {
    let file = DER.object(
      0x6B,
      DER.object(0x5C, bytes("5F0E5F0F5F105F2B5F115F425F125F13"))
        + Self.text(0x5F0E, "ERIKSSON<<ÅNNA<MARIA")
        + DER.object(
          0xA0, [0x02, 1, 2] + Self.text(0x5F0F, "SMITH<<ANNA") + Self.text(0x5F0F, "A<B"))
        + Self.text(0x5F10, "12345") + DER.object(0x5F2B, bytes("19740812"))
        + Self.text(0x5F11, "STOCKHOLM<SWEDEN") + Self.text(0x5F42, "1 STREET<CITY")
        + Self.text(0x5F12, "") + Self.text(0x5F77, "unknown"))
    let details = try PersonalDetails(file)
    #expect(details.fullName == "ERIKSSON, ÅNNA MARIA")
    #expect(details.otherNames == ["SMITH, ANNA", "A B"])
    #expect(details.personalNumber == "12345")
    #expect(details.birth == "19740812")
    #expect(details.birthPlace == ["STOCKHOLM", "SWEDEN"])
    #expect(details.address == ["1 STREET", "CITY"])
    #expect(details.telephone == nil)
  }

  /// Text, BCD, and unknown parts.
  @Test(arguments: [
    ("3139373430383132", "19740812"), ("19740812", "19740812"), ("19740000", "19740000"),
    ("313937343C3C3C3C", "1974<<<<"), ("", nil),
  ])
  func dates(_ value: String, _ date: String?) throws {
    let file = DER.object(0x6B, DER.object(0x5F2B, bytes(value)))
    #expect(try PersonalDetails(file).birth == date)
    let issue = DER.object(0x6C, DER.object(0x5F26, bytes(value)))
    #expect(try IssueDetails(issue).issue == date)
  }

  @Test func otherNamesOutsideOfTheirTemplate() throws {
    let outside = DER.object(0x6B, Self.text(0x5F0F, "A<<B") + DER.object(0xA0, []))
    #expect(try PersonalDetails(outside).otherNames == ["A, B"])
    let strange = DER.object(0x6B, DER.object(0xA0, [0xFF, 0xFF]) + Self.text(0x5F13, "MILLER"))
    #expect(try PersonalDetails(strange).profession == "MILLER")
  }

  @Test func oldDocumentsHaveLatin1() throws {
    let file = DER.object(0x6B, DER.object(0x5F11, [0x4D, 0xFC, 0x6E]))
    #expect(try PersonalDetails(file).birthPlace == ["Mün"])
  }

  @Test func personsToNotify() throws {
    let file = DER.object(
      0x70,
      [0x02, 1, 1]
        + DER.object(
          0xA1,
          Self.text(0x5F50, "20200101") + Self.text(0x5F51, "SMITH<<JOHN")
            + Self.text(0x5F52, "123") + Self.text(0x5F53, "1 STREET<CITY")))
    let persons = try PersonToNotify.all(in: file)
    #expect(persons.map(\.name) == ["SMITH, JOHN"])
    #expect(persons.first?.address == ["1 STREET", "CITY"])
  }

  @Test func filesOfTheMasterFile() throws {
    let attributes = try ChipAttributes(
      bytes("4703 01 02 03 7F66 08 0202 0400 0203 010000 0000".filter { $0 != " " }))
    #expect(attributes.capabilities == nil || attributes.capabilities == [1, 2, 3])
    let sizes = try ChipAttributes(
      bytes("47030102 03 7F6609 02020400 0203010000 0000".filter { $0 != " " }))
    #expect(sizes.maximumCommandLength == 1024)
    #expect(sizes.maximumResponseLength == 65_536)
    let directory = try ApplicationDirectory(
      bytes(
        "61094F07A0000002471001 61 0F 4F0D 01020304050607080910111213 0000".filter { $0 != " " }))
    #expect(directory.applications.count == 2)
    #expect(throws: DataObjectError.self) { try ApplicationDirectory([0x61, 0x09, 0x4F]) }
  }

  @Test func anyBytesGiveAValueOrAnError() {
    var generator = SystemRandomNumberGenerator()
    let tags: [UInt8] = [
      0x60, 0x6B, 0x6C, 0x70, 0x75, 0x67, 0x77, 0x6E, 0x6F, 0x31, 0x30, 0x61, 0x7F, 0x5F,
    ]
    for _ in 0..<4000 {
      let size = Int.random(in: 0...60, using: &generator)
      var file = (0..<size).map { _ in
        Bool.random(using: &generator)
          ? tags.randomElement(using: &generator) ?? 0
          : UInt8.random(in: 0...255, using: &generator)
      }
      if size > 2 {
        file[0] = tags.randomElement(using: &generator) ?? 0
        file[1] = UInt8(size - 2)
      }
      Decoders.runAll(file)
    }
  }

  /// Signed files with one byte changed, or cut off.
  @Test(arguments: [
    "sod-rsa", "sod-ber", "cardsecurity", "csca-explicit", "masterlist", "dg14", "dg2",
  ])
  func changedFilesGiveAValueOrAnError(_ name: String) throws {
    let file = try Fixtures[name]
    for index in stride(from: 0, to: file.count, by: max(1, file.count / 300)) {
      var changed = file
      changed[index] ^= UInt8(1 << (index % 8))
      Decoders.runAll(changed)
      Decoders.runAll(Array(file.prefix(index)))
    }
  }
}

/// Every decoder of this module.
enum Decoders {
  static func runAll(_ file: [UInt8]) {
    _ = try? BERObject(file).children()
    if let object = try? BERObject(file) { _ = object.definite() }
    _ = try? SecurityInfos(file)
    _ = try? SecurityInfos(dataGroup: file)
    _ = try? CommonData(file)
    _ = try? ChipAttributes(file)
    _ = try? ApplicationDirectory(file)
    _ = try? PersonalDetails(file)
    _ = try? IssueDetails(file)
    _ = try? PersonToNotify.all(in: file)
    _ = try? FacialRecord.all(in: file)
    _ = FacialRecord(file[...])
    _ = DocumentImage(file[...])
    _ = DocumentImage.first(in: file[...])
    _ = try? DisplayedImages.all(in: file)
    if let object = try? SecurityObject(file) { _ = object.signedData.verify() }
    if let signed = try? SignedData(file[...]) { _ = signed.verify() }
    if let certificate = Certificate(file) { _ = certificate.isSigned(by: certificate) }
    var store = TrustStore()
    try? store.add(file, name: "x")
    if let procedure = ActiveAuthentication(dataGroup: file, digest: nil) {
      _ = procedure.verify(file, challenge: [0])
    }
    _ = ActiveAuthentication.isSignature(file, of: [0])
    _ = try? MachineReadableZone(file)
    _ = try? MachineReadableZone(String(decoding: file, as: UTF8.self))
  }
}
