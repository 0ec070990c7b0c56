import Testing

@testable import SUNMessage

/// Links of NTAG 223 DNA and NTAG 224 DNA.
@Suite struct SUNCMACTests {
  struct Published: Sendable, CustomTestStringConvertible {
    let source: String
    let text: String
    var key = zeroKey
    let uid: String
    let counter: UInt32
    /// Stored and current state; `nil` for a chip without StatusDetect.
    var states: [SUNTamperStatus.State]?
    var testDescription: String { source }
  }

  private static let zeroKey = "00000000000000000000000000000000"
  private static let otherKey = "2B7E151628AED2A6ABF7158809CF4F3C"

  static let published = [
    Published(
      source: "NXP AN12998, by Proxmark3, ntag22x_libsuncmac.py",
      text: "04AA2BD2335780x000001xB188AC6F69140B92", uid: "04AA2BD2335780", counter: 1),
    Published(
      source: "NXP AN12998, by Proxmark3, ntag22x_libsuncmac.py",
      text: "04C767F2066180x000003x3779793DFE592188", uid: "04C767F2066180", counter: 3),
    Published(
      source: "Proxmark3, a real NTAG 223 DNA StatusDetect",
      text: "046910EA841390x000000xCO00000000x146F1F74FFB89569", uid: "046910EA841390", counter: 0,
      states: [.closed, .open]),
    Published(
      source: "Proxmark3, the same chip, which does not report its status",
      text: "046910EA841390x000000x0000000000x887DBC0298EF2755", uid: "046910EA841390", counter: 0,
      states: [.hidden, .hidden]),
    Published(
      source: "Proxmark3, the same chip with another key",
      text: "046910EA841390x000000x0000000000x17B5B634CAAA9BB8", key: otherKey,
      uid: "046910EA841390", counter: 0, states: [.hidden, .hidden]),
    Published(
      source: "Proxmark3, a second chip",
      text: "048A0FEA841390x000000x0000000000x1A797B9096B03021", key: otherKey,
      uid: "048A0FEA841390", counter: 0, states: [.hidden, .hidden]),
    Published(
      source: "storage-tags, ntag22x-sun.test.ts",
      text: "04E141124C2880x0004AFxCO00000000xD0FDE26641C764D4",
      key: "000102030405060708090A0B0C0D0E0F", uid: "04E141124C2880", counter: 0x4AF,
      states: [.closed, .open]),
  ]

  /// The parameter has a name of its own, that of one part, or one that another part has elsewhere.
  @Test(arguments: published, ["m", "uid", "cmac", "anything"])
  func publishedMessage(_ published: Published, _ name: String) throws {
    for text in [published.text, published.text.lowercased()] {
      let message = try SUNMessage(url: "http://www.foo.bar?\(name)=\(text)&a=1")
      let reading = try message.verified(fileReadKey: key(published.key))
      #expect(reading.uid == hex(published.uid))
      #expect(reading.readCounter == published.counter)
      #expect(reading.mode == .suncmac && reading.fileData == nil)
      #expect(reading.authenticatedText == "")
      #expect(
        reading.tamperStatus.map { [$0.stored, $0.current] } == published.states)
      #expect(reading.tamperStatus?.otherBytes ?? [0, 0, 0, 0] == [0, 0, 0, 0])
      for mode in [nil, SUNMode.suncmac] {
        #expect(
          try message.verified(fileReadKey: key(published.key), macInput: .none, mode: mode)
            == reading)
      }
      for mode in [SUNMode.aes, .lrp] {
        #expect(throws: SUNError.wrongMAC) {
          try message.verified(fileReadKey: key(published.key), mode: mode)
        }
      }
      // What the MAC covers is fixed; a caller who requires something else gets no result.
      for input in [SUNMACInput.link, .firstMirror, .offset(0)] {
        #expect(throws: SUNError.wrongMAC) {
          try message.verified(fileReadKey: key(published.key), macInput: input)
        }
      }
      #expect(throws: SUNError.wrongMAC) {
        try message.verified(fileReadKey: key("00000000000000000000000000000001"))
      }
    }
  }

  /// Each character, also of the status, whose letters are a part of the input.
  @Test(arguments: published) func everyChangeIsRefused(_ published: Published) throws {
    let text = Array(published.text.utf8)
    for index in text.indices where text[index] != UInt8(ascii: "x") {
      for other in Array("01COI".utf8) where other != text[index] {
        var changed = text
        changed[index] = other
        let url = "https://x.y/?m=" + String(decoding: changed, as: UTF8.self)
        let error = #expect(throws: SUNError.self) {
          try SUNMessage(url: url).verified(fileReadKey: key(published.key))
        }
        #expect(error == .wrongMAC || error == .missing(.mac))
      }
    }
  }

  /// A part that is missing, too short or too long, or added.
  @Test(arguments: [
    "04AA2BD2335780x000001", "04AA2BD2335780xB188AC6F69140B92x", "000001xB188AC6F69140B92",
    "04AA2BD23357x000001xB188AC6F69140B92", "04AA2BD2335780x0001xB188AC6F69140B92",
    "04AA2BD2335780x000001xB188AC6F69140B", "04AA2BD2335780x000001x0000000000xB188AC6F69140B92",
    "046910EA841390x000000x146F1F74FFB89569", "046910EA841390xCO00000000x146F1F74FFB89569",
    "CO00000000x146F1F74FFB89569", "046910EA841390x000000xCO000000x146F1F74FFB89569",
    "046910EA841390x000000xCO00000000xCO00000000x146F1F74FFB89569",
    "04AA2BD2335780x000001xB188AC6F69140B92xCEE9A53E3E463EF1F459635736738962", "x", "xxx",
  ])
  func otherForms(_ text: String) {
    let error = #expect(throws: SUNError.self) {
      try SUNMessage(url: "https://x.y/?m=\(text)").verified(fileReadKey: .factory)
    }
    switch error {
    case .wrongMAC, .missing: break
    default: Issue.record("\(text): \(String(describing: error))")
    }
  }

  @Test func template() throws {
    let template = try SUNTemplate("https://x.y/{uid}-{counter}-{tamper}-{mac}")
    #expect(template.places[.tamperStatus] == 34..<44)
    let start = "https://x.y/046910EA841390-000000-"
    let reading = try SUNMessage(
      url: start + "CO00000000-146F1F74FFB89569", template: template
    ).verified(fileReadKey: .factory)
    #expect(reading.mode == .suncmac && reading.tamperStatus?.current == .open)
    for status in ["CA00000000", "CO0000000G", "C000000O00"] {
      #expect(throws: SUNError.malformed(.tamperStatus, SUNError.Part.tamperStatus.form)) {
        try SUNMessage(url: start + status + "-146F1F74FFB89569", template: template)
      }
    }
    for (text, error) in [
      ("{uid}{tamper}{mac}", SUNTemplateError.missing(.counter)),
      ("{counter}{tamper}{mac}", .missing(.uid)), ("{picc}{tamper}{mac}", .missing(.uid)),
      ("{tamper}{mac}", .missing(.piccData)),
      ("{uid}{counter}{tamper}{tamper}{mac}", .repeated(.tamperStatus)),
      ("{uid}{counter}{tamper}{enc}{mac}", .ofDifferentChips(.fileData, .tamperStatus)),
    ] {
      #expect(throws: error) { try SUNTemplate(text) }
      #expect(!error.description.isEmpty)
    }
  }

  /// Nothing covers a status that someone has added to a link of another chip.
  @Test func addedStatus() throws {
    let picc = "EF963FF7828658A599F3041510671E88"
    let mac = "94EED9EE65337086"
    let encrypted = try SUNMessage(url: "https://x.y/?m=\(picc)x\(mac)")
    #expect(
      try encrypted.verified(metaReadKey: .factory, fileReadKey: .factory).tamperStatus == nil)
    #expect(throws: SUNError.missing(.uid)) {
      try SUNMessage(url: "https://x.y/?m=\(picc)xCC00000000x\(mac)")
    }
    for mode in [nil, SUNMode.aes, .lrp, .suncmac] {
      #expect(throws: SUNError.wrongMAC) {
        try SUNMessage(url: "https://x.y/?m=04DE5F1EACC040x00003DxCC00000000x\(mac)")
          .verified(fileReadKey: .factory, mode: mode)
      }
    }
  }

  /// I stands for 9 in the input of the MAC (both programs; no published link has it).
  @Test func letters() throws {
    for (text, code) in [("CO", 0x3F), ("IC", 0x93), ("OI", 0xF9), ("00", 0x00)] {
      let status = try #require(SUNTamperStatus(Array((text + "01020304").utf8)[...]))
      #expect(status.encoded == [UInt8(code), 1, 2, 3, 4])
    }
  }

  /// NTAG 424 DNA with the same key: its session key is derived, so neither MAC is the other's.
  @Test func otherChips() throws {
    let url = "https://x.y/?m=04DE5F1EACC040x00003Dx94EED9EE65337086"
    let message = try SUNMessage(url: url)
    #expect(try message.verified(fileReadKey: .factory).mode == .aes)
    #expect(throws: SUNError.wrongMAC) {
      try message.verified(fileReadKey: .factory, mode: .suncmac)
    }
    let plain = try SUNMessage(
      url: "https://x.y/?uid=04DE5F1EACC040&cmac=94EED9EE65337086")
    #expect(throws: SUNError.missing(.counter)) {
      try plain.verified(fileReadKey: .factory, mode: .suncmac)
    }
  }
}
