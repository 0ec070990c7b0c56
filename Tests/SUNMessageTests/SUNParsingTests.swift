import Testing

@testable import SUNMessage

@Suite struct SUNParsingTests {
  private static let picc = "EF963FF7828658A599F3041510671E88"
  private static let mac = "94EED9EE65337086"

  @Test(arguments: [
    ("https://x.y/?picc_data=\(picc)", SUNError.missing(.mac)),
    ("https://x.y/?cmac=\(mac)", .missing(.piccData)),
    (
      "https://x.y/?picc_data=\(picc)0&cmac=\(mac)",
      .malformed(.piccData, SUNError.Part.piccData.form)
    ),
    ("https://x.y/?picc_data=\(picc)&cmac=\(mac)A", .malformed(.mac, SUNError.Part.mac.form)),
    (
      "https://x.y/?picc_data=\(picc)&cmac=94EED9EE6533708G",
      .malformed(.mac, SUNError.Part.mac.form)
    ),
    ("https://x.y/?uid=04&ctr=000001&cmac=\(mac)", .malformed(.uid, SUNError.Part.uid.form)),
    (
      "https://x.y/?picc_data=\(picc)&enc=00&cmac=\(mac)",
      .malformed(.fileData, SUNError.Part.fileData.form)
    ),
    ("https://x.y/#?e=\(picc)&c=\(mac)", .missing(.mac)),
    ("https://x.y/", .missing(.mac)), ("", .missing(.mac)), ("?", .missing(.mac)),
    ("?&=&&==&e", .missing(.mac)), ("\u{0}\u{FFFD}?é=é", .missing(.mac)),
  ])
  func refused(url: String, error: SUNError) {
    #expect(throws: error) { try SUNMessage(url: url) }
    #expect(!error.description.isEmpty)
  }

  @Test(arguments: [
    ("https://x.y/?e=\(picc)&c=\(mac)", true), ("https://x.y/?p=\(picc)&m=\(mac)", true),
    ("https://x.y/?a=1&PICC_DATA=\(picc)&b&CMAC=\(mac)&z=", true),
    ("https://x.y/?d=\(picc)x\(mac)", true), ("https://x.y/?q=\(picc)\(mac)", true),
    ("https://x.y/?uid=04DE5F1EACC040&ctr=00003D&c=\(mac)", false),
    ("https://x.y/?u=04DE5F1EACC040&n=00003D&m=\(mac)", false),
    ("https://x.y/?uid=04DE5F1EACC040&c=00003D&cmac=\(mac)", false),
    ("https://x.y/?m=04DE5F1EACC040x00003Dx\(mac)", false),
  ])
  func understood(url: String, isEncrypted: Bool) throws {
    let message = try SUNMessage(url: url)
    #expect(
      message.piccData
        == (isEncrypted
          ? .encrypted(hex(Self.picc)) : .plain(uid: hex("04DE5F1EACC040"), readCounter: 61)))
    #expect(message.mac == hex(Self.mac))
    let reading = try message.verified(metaReadKey: .factory, fileReadKey: .factory)
    #expect(reading.readCounter == 61)
  }

  @Test func customNames() throws {
    let names = SUNParameterNames(piccData: ["tag"], mac: ["proof"])
    let message = try SUNMessage(
      url: "https://x.y/?tag=\(Self.picc)&proof=\(Self.mac)", names: names)
    #expect(message.mac == hex(Self.mac))
    #expect(throws: SUNError.missing(.mac)) {
      try SUNMessage(url: "https://x.y/?e=\(Self.picc)&c=\(Self.mac)", names: names)
    }
  }

  @Test(arguments: [
    ("https://x.y/?e={picc}", SUNTemplateError.missing(.mac)),
    ("https://x.y/?c={mac}", .missing(.piccData)),
    ("https://x.y/?e={picc}&u={uid}&c={mac}", .bothPlainAndEncrypted),
    ("https://x.y/?c={mac}&c={cmac}&e={picc}", .repeated(.mac)),
    ("https://x.y/?u={uid}&f={enc}&c={mac}", .missing(.counter)),
    ("https://x.y/?n={ctr}&f={enc}&c={mac}", .missing(.uid)),
    ("https://x.y/?e={picc}&c={mac}&f={enc}", .fileDataAfterMAC),
    ("https://x.y/?e={pic}&c={mac}", .unknownPlace(offset: 15)),
    ("https://x.y/?e={enc:17}&c={mac}", .unknownPlace(offset: 15)),
    ("https://x.y/?e={enc:-16}&c={mac}", .unknownPlace(offset: 15)),
    ("https://x.y/?e={enc:99999999999999999999}", .unknownPlace(offset: 15)),
    ("{picc}{mac}}", .unknownPlace(offset: 11)), ("{picc}{mac", .unknownPlace(offset: 6)),
    ("{", .unknownPlace(offset: 0)),
  ])
  func templatesRefused(text: String, error: SUNTemplateError) {
    #expect(throws: error) { try SUNTemplate(text) }
    #expect(!error.description.isEmpty)
  }

  @Test func placesOfATemplate() throws {
    let template = try SUNTemplate("https://x.y/?p={picc}&f={enc:32}&c={mac}", mode: .lrp)
    #expect(
      template.places == [.piccData: 15..<63, .fileData: 66..<130, .mac: 133..<149])
    #expect(template.link.count == 149)
    #expect(
      try SUNTemplate("{uid}{ctr}{mac}").places == [.uid: 0..<14, .counter: 14..<20, .mac: 20..<36])
  }

  /// Any text gives a message or an error.
  @Test func anyText() {
    var state: UInt64 = 1
    let pieces = [
      "?", "&", "=", "x", "#", "e", "cmac", "picc_data", "uid", "0A", Self.mac, Self.picc, "é", "{",
      "}", "{mac}", "{enc:16}", "{uid}",
    ]
    for _ in 0..<2000 {
      var text = ""
      for _ in 0..<12 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        text += pieces[Int(state >> 33) % pieces.count]
      }
      let message = try? SUNMessage(url: text)
      if let message { #expect(message.mac.count == 8) }
      if let template = try? SUNTemplate(text) {
        let filled = String(decoding: template.link, as: UTF8.self)
        #expect((try? SUNMessage(url: filled, template: template))?.mac.count == 8)
      }
    }
  }

  /// `e` is the encrypted part of the file if something else is UID and counter.
  @Test(arguments: ["p=\(picc)&e=\(file)", "e=\(file)&p=\(picc)"])
  func fileDataBesidesPICCData(_ query: String) throws {
    let message = try SUNMessage(url: "https://x.y/?\(query)&c=\(Self.mac)")
    #expect(message.piccData == .encrypted(hex(Self.picc)))
    #expect(message.encryptedFileData == hex(Self.file))
  }

  @Test func fileDataBesidesReadableUID() throws {
    let message = try SUNMessage(
      url: "https://x.y/?u=041E3C8A2D6B80&n=000006&e=\(Self.file)&c=\(Self.mac)")
    #expect(
      message.piccData
        == .plain(uid: [0x04, 0x1E, 0x3C, 0x8A, 0x2D, 0x6B, 0x80], readCounter: 6))
    #expect(message.encryptedFileData == hex(Self.file))
  }

  /// The same in one parameter.
  @Test func fileDataAfterReadableUID() throws {
    let message = try SUNMessage(
      url: "https://x.y/?m=041E3C8A2D6B80x000006x\(Self.file)x\(Self.mac)")
    #expect(
      message.piccData
        == .plain(uid: [0x04, 0x1E, 0x3C, 0x8A, 0x2D, 0x6B, 0x80], readCounter: 6))
    #expect(message.encryptedFileData == hex(Self.file))
  }

  private static let file = "CEE9A53E3E463EF1F459635736738962"
}
