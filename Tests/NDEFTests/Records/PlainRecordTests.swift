import NDEF
import Testing

/// The types without a structure of their own.
@Suite struct PlainRecordTests {
  @Test func media() throws {
    let bytes = hex("D2 0A 03 746578742F706C61696E 414243")
    let media = MIMERecord(mediaType: "text/plain", payload: Array("ABC".utf8))
    #expect(NDEFMessage(media.record).encoded() == bytes)
    let record = try #require(try NDEFMessage(decoding: bytes).records.first)
    #expect(try record.decoded as? MIMERecord == media)
    #expect(media.text == "ABC")
    #expect(MIMERecord(mediaType: "text/plain", payload: [0xFF]).text == nil)
    #expect(MIMERecord(mediaType: "image/png", payload: [0x41]).text == nil)
  }

  @Test func absoluteURI() throws {
    let uri = AbsoluteURIRecord("https://example.com/a", payload: [1])
    #expect(uri.record.type == Array("https://example.com/a".utf8))
    #expect(try uri.record.decoded as? AbsoluteURIRecord == uri)
    let wrong = NDEFRecord(typeNameFormat: .absoluteURI, type: [0x61, 0xFF])
    #expect(
      ndefError { () throws(NDEFError) in try AbsoluteURIRecord(wrong) }?.code == .invalidText)
  }

  @Test func external() throws {
    let external = ExternalRecord(type: "example.com:ticket", payload: [1, 2, 3])
    #expect(try external.record.decoded as? ExternalRecord == external)
  }

  @Test(arguments: [TypeNameFormat.media, .external])
  func typesThatAreNotASCIIAreRefused(_ format: TypeNameFormat) {
    let record = NDEFRecord(typeNameFormat: format, type: hex("61 2F C3A9"))
    let error = ndefError { () throws(NDEFError) in try record.decoded }
    #expect(error?.code == .invalidText)
    #expect(error?.offset == 2)
  }

  @Test func androidApplication() throws {
    // Android developer documentation, "NFC basics": type android.com:pkg, payload the package name
    let bytes = hex("D4 0F 0B 616E64726F69642E636F6D3A706B67 636F6D2E6578616D706C65")
    #expect(NDEFMessage(.androidApplication("com.example")).encoded() == bytes)
    let record = try #require(try NDEFMessage(decoding: bytes).records.first)
    let app = try #require(try record.decoded as? AndroidApplicationRecord)
    #expect(app.packageName == "com.example")
    expectRefusal(
      of: Malformed("61 FF", .invalidText, at: 0), by: AndroidApplicationRecord.self, .external,
      "android.com:pkg")
  }

  @Test func empty() throws {
    #expect(try NDEFRecord.empty.decoded is EmptyRecord)
    let wrong = NDEFRecord(typeNameFormat: .empty, payload: [1])
    #expect(
      ndefError { () throws(NDEFError) in try EmptyRecord(wrong) }?.code == .fieldsInEmptyRecord)
    var identified = EmptyRecord()
    identified.identifier = [1]
    #expect(identified.record == .empty)
  }

  @Test func unknown() throws {
    let unknown = UnknownRecord(payload: [1, 2], identifier: [3])
    #expect(try unknown.record.decoded as? UnknownRecord == unknown)
    let wrong = NDEFRecord(typeNameFormat: .unknown, type: "x")
    #expect(
      ndefError { () throws(NDEFError) in try UnknownRecord(wrong) }?.code == .typeInUnknownRecord)
  }

  @Test func typesThatNobodyKnowsAreNotDecoded() throws {
    #expect(try NDEFRecord(typeNameFormat: .wellKnown, type: "Zz").decoded == nil)
    #expect(try NDEFRecord(typeNameFormat: .unchanged).decoded == nil)
  }
}
