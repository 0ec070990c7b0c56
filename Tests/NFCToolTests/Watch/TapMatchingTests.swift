import SwiftNFCJSONText
import NFC
import Testing

@testable import SwiftNFCTool

@Suite struct GlobTests {
  @Test(arguments: [
    ("https://swift.org", "https://swift.org/a", true),
    ("https://swift.org", "http://swift.org", false),
    ("", "anything", true), ("*", "", true), ("*.org", "swift.org", true),
    ("*.org", "swift.orgs", false),
    ("a?c", "abc", true), ("a?c", "ac", false), ("a?c", "abcd", false),
    ("*a*b*", "xxaxxbxx", true), ("*a*b*", "xxbxxaxx", false),
    ("h*://*/door/?", "https://x/door/7", true),
  ])
  func matches(pattern: String, text: String, expected: Bool) {
    #expect(Glob(pattern).matches(text) == expected)
  }

  @Test func manyAsterisksTakeNoEndlessTime() {
    let glob = Glob(String(repeating: "a*", count: 60) + "b")
    #expect(!glob.matches(String(repeating: "a", count: 4000)))
  }
}

@Suite struct LinkPolicyTests {
  @Test(arguments: [
    ("https://swift.org", true), ("HTTPS://swift.org", true), ("tel:+49301", true),
    ("mailto:a@b.c", true), ("javascript:alert(1)", false), ("file:///etc/passwd", false),
    ("--help", false), ("", false), ("https://a b", false), ("https://a\u{1B}[31m", false),
    ("https://a\u{202E}b", false), ("https://a\u{2066}b", false), ("https://a\u{2028}b", false),
    ("https://münchen.example/ü", true), ("https://a\u{200D}b", true),
    ("mailto:a@b.c?subject=attach&body=x", true), ("https://a?attach=b", true),
    ("mailto:a@b.c?attach=/etc/passwd", false), ("MAILTO:?subject=x&Attach=~/.ssh/id_rsa", false),
    ("mailto:a@b.c?%61ttachment=/x", false), ("mailto:a@b.c?subject=x&amp;attach=/x", false),
    (" https://swift.org", false), ("://x", false),
    ("https://bank.example@evil.example/", false), ("http:/\\user:pw@evil.example", false),
    ("HTTPS:a@b", false), ("https://a.example/@user?x=a@b#c@d", true),
  ])
  func permits(link: String, expected: Bool) {
    #expect(LinkPolicy.standard.permits(link) == expected)
  }

  @Test func longLinksAreNotOpened() {
    let link = "https://" + String(repeating: "a", count: LinkPolicy.maximumLength)
    #expect(!LinkPolicy.standard.permits(link))
  }
}

@Suite struct MQTTTopicTests {
  private let topics = MQTTTopic(prefix: "nfc", name: "door")

  @Test func readersAreOneLevel() {
    #expect(topics.tap("pn532_uart:/dev/ttyUSB0") == "nfc/door/pn532-uart--dev-ttyUSB0/tap")
    #expect(topics.present("pcsc:ACS é/+#") == "nfc/door/pcsc-ACS-----/present")
    #expect(topics.status == "nfc/door/status")
    #expect(topics.commands == "nfc/door/+/command")
  }

  /// MQTT 3.1.1, 1.5.3 and 4.7. libmosquitto does not send the last four, and would be asked again and again.
  @Test(arguments: [
    ("a", true), ("Tür 1 $", true), ("", false), ("a/b", false), ("a+", false), ("#", false),
    ("a\0", false), ("a\tb", false), ("a\u{7F}", false), ("\u{85}", false), ("\u{FFFE}", false),
  ])
  func levels(text: String, expected: Bool) {
    #expect(MQTTTopic.isLevel(text) == expected)
    let isTopic = expected || text == "a/b"
    #expect(MQTTTopic.isValidForPublishing(text) == isTopic)
  }

  @Test(
    arguments: [
      ("mqtt://broker", "broker", 1883, false, nil), ("mqtts://broker", "broker", 8883, true, nil),
      ("mqtt://me@broker:1884", "broker", 1884, false, "me"),
      ("mqtt://[::1]:1", "::1", 1, false, nil),
    ] as [(String, String, UInt16, Bool, String?)])
  func brokers(url: String, host: String, port: UInt16, isSecure: Bool, user: String?) throws {
    let options = try #require(MQTTOptions(url))
    #expect(options.host == host)
    #expect(options.port == port)
    #expect(options.isSecure == isSecure)
    #expect(options.user == user)
  }

  @Test(arguments: [
    "broker", "http://broker", "mqtt://", "mqtt://a:secret@broker", "mqtt://broker:0",
    "mqtt://broker:99999", "mqtt://broker/topic",
  ])
  func noBrokers(url: String) { #expect(MQTTOptions(url) == nil) }
}

@Suite struct TapRulesTests {
  static func tap(
    uid: String = "04112233445580", product: String = "NTAG213", _ records: [NDEFRecord] = []
  ) -> Tap {
    Tap(
      time: .seconds(1), reader: "pn532_uart:/dev/null",
      tag: [
        JSONValue.Member(key: "type", value: "miFare"),
        JSONValue.Member(key: "uid", value: .string(uid)),
        JSONValue.Member(key: "product", value: .string(product)),
      ], ndef: nil, message: NDEFMessage(records: records))
  }

  private static let yaml = """
    # A door and a jukebox.
    - match:
        uid: 04112233445580
        product: NTAG213
      do:
        exec: open-door
        notify: Welcome
    - match: { uri: "https://music.example/*" }
      do: { open: true, publish: house/music }
    - match: {mime: text/VCARD}
      do:
        app: org.gnome.Contacts
    - match: {external: "example.org:*"}
      do: {open: "https://example.org/help"}
    - match: {text: 007}
      do: {notify: true}
    """

  /// Few bytes that stand for a hundred thousand values.
  private static let bomb =
    "- &a [\(list("x"))]\n- &b [\(list("*a"))]\n- &c [\(list("*b"))]\n- &d [\(list("*c"))]\n"
    + "- [\(list("*d"))]"

  private static func list(_ entry: String) -> String {
    Array(repeating: entry, count: 10).joined(separator: ", ")
  }

  /// A URI in the place of a type is a link; a name of a type of Windows is not.
  @Test func linksInThePlaceOfATypeAreLinks() {
    let windows = AbsoluteURIRecord("windows.com/Other", payload: [1]).record
    #expect(Self.tap([windows]).uri == nil)
    let link = AbsoluteURIRecord("https://a.example").record
    #expect(Self.tap([windows, link, .uri("https://b.example")]).uri == "https://a.example")
  }

  @Test func theFirstRuleThatMatchesIsUsed() async throws {
    let rules = try await TapRules(yaml: Self.yaml, permitsPublishing: true)
    #expect(rules.actions(for: Self.tap()) == [.execute("open-door"), .notify("Welcome")])
    let other = "0411223344"
    let record: [(NDEFRecord, [TapAction])] = [
      (.uri("https://music.example/7"), [.open(nil), .publish("house/music")]),
      (
        NDEFRecord(typeNameFormat: .media, type: Array("text/vcard".utf8), payload: []),
        [.start(application: "org.gnome.Contacts")]
      ),
      (
        NDEFRecord(typeNameFormat: .media, type: "text/vcard; charset=utf-8"),
        [.start(application: "org.gnome.Contacts")]
      ),
      (
        NDEFRecord(typeNameFormat: .external, type: Array("example.org:x".utf8), payload: []),
        [.open("https://example.org/help")]
      ),
      (.text("007", language: "en"), [.notify(nil)]),
    ]
    for (record, actions) in record {
      #expect(rules.actions(for: Self.tap(uid: other, [record])) == actions, "\(record)")
    }
    #expect(rules.actions(for: Self.tap(uid: other)) == nil)
    #expect(
      rules.actions(for: Self.tap(product: "NTAG216")) == nil, "all conditions have to hold")
  }

  @Test(arguments: [
    ("- match: {uid: 04}\n  do: {exec: a}\n- match: {uri: x}\n  do: {run: b}", 4, "run"),
    ("- match: {uid: 04}\n  when: x\n  do: {exec: a}", 2, "when"),
    ("- match: {colour: red}\n  do: {exec: a}", 1, "colour"),
    ("- match: {uid: xyz}\n  do: {exec: a}", 1, "xyz"),
    ("- match: {uid: 04}", 1, "do:"), ("rules: 1", 1, "list"), ("", 1, "no rules"),
    ("- match: {uid: 04}\n  do: {open: maybe}", 2, "maybe"),
    ("- match: {uid: 04}\n  do: {exec: [a, b]}", 2, "one value"),
    ("- match: {uid: 04}\n  do: {exec: ''}", 2, "empty"),
    ("- match: {uid: 04\n  do: {exec: a}", 2, ""), ("- a\n\t- b", 2, ""),
    ("- match: {uid: 04, uid: 05}\n  do: {exec: a}", 1, "uid"),
    // Each error is at its own line, not at that of the first key.
    (
      "- match:\n    uid: 04\n    # uid: 05\n    text: |\n      uid: 06\n    'uid' : 07\n  do: {}",
      6, "uid"
    ),
    ("- match: {uid: 04}\n  do: {exec: a}\n\n  do: {exec: b}\n- match: {}", 4, "do"),
    ("- match: {uid: 04}\n  do:\n    exec: a\n    exec: b\n  do: {exec: b}", 4, "exec"),
    ("- match: {uid: 04}\n  do: {publish: a/#}", 2, "a/#"),
    ("# é\r\n# é\r\n- do: {exec: \u{1}}\r\n", 3, "control"),
    // What is not closed is reported where it begins, not after the end of the file.
    ("- match: {uid: 04", 1, "flow mapping"), ("- match: {uid: 04\n", 1, "flow mapping"),
    ("\n\n- do: {exec: \"a}\n\n\n\n", 3, "quoted scalar"),
    ("- do: {exec: a}\n- do: {open: true, notify: \n\n", 2, ""),
    ("- do: {exec: a}\n---\n- do: {exec: b}\n", 2, "a single document in the stream, but found"),
    (
      "- do: {exec: " + String(repeating: "[", count: 60) + String(repeating: "]", count: 60) + "}",
      1, "one value"
    ),
    (Self.bomb, 1, "100000"),
    ("- match: {uid: 04}\n  do: {exec: a}\n- match: {type: mifair}\n  do: {exec: a}", 3, "miFare"),
  ])
  func aWrongFileIsRefusedWithItsLine(yaml: String, line: Int, word: String) async throws {
    let error = try await #require(throws: TapRulesError.self) {
      try await TapRules(yaml: yaml, permitsPublishing: true)
    }
    #expect(error.line == line, "\(error)")
    #expect(word.isEmpty || error.reason.contains(word), "\(error)")
  }

  @Test(arguments: [
    ("product: ntag213", true), ("product: NTAG 213", true), ("product: ntag-213", true),
    ("product: NTAG21", false), ("type: mifare", true), ("type: MiFare", true),
    ("type: felica", false), ("external: \"Example.ORG:t*\"", true), ("text: a", false),
    ("text: A", true),
  ])
  func namesMatchInAnyCase(condition: String, expected: Bool) async throws {
    let rules = try await TapRules(
      yaml: "- match: {\(condition)}\n  do: {exec: a}", permitsPublishing: false)
    let external = NDEFRecord(
      typeNameFormat: .external, type: Array("example.org:Ticket".utf8), payload: [])
    let tap = Self.tap([.text("A", language: "en"), external])
    #expect((rules.actions(for: tap) != nil) == expected)
  }

  @Test func publishingNeedsABroker() async {
    await #expect(throws: TapRulesError.self) {
      try await TapRules(yaml: Self.yaml, permitsPublishing: false)
    }
  }
}
