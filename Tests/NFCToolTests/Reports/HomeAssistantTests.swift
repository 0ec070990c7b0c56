import Foundation
import SwiftNFCJSONText
import NFC
import Testing
import VirtualNFC

@testable import SwiftNFCTool

/// What Home Assistant takes for a tag's identity (home-assistant/android#1307, adonno/tagreader#76 and #110).
@Suite struct HomeAssistantTests {
  @Test(
    arguments: [
      ("https://www.home-assistant.io/tag/c8578b2a-9695", "c8578b2a-9695"),
      ("https://home-assistant.io/tag/a", "a"), ("HTTPS://WWW.Home-Assistant.io/tag/a/", "a"),
      ("https://www.home-assistant.io/tag/a?x=1#y", "a"),
      ("https://www.home-assistant.io/tag/K%C3%BCche%2F1%20b", "Küche/1 b"),
      ("https://www.home-assistant.io/tag/", nil), ("https://www.home-assistant.io/tag/a/b", nil),
      ("https://www.home-assistant.io/tags/a", nil), ("https://example.com/tag/a", nil),
      ("ftp://www.home-assistant.io/tag/a", nil), ("text", nil),
    ] as [(String, String?)])
  func links(link: String, id: String?) {
    #expect(HomeAssistantTag.id(in: link) == id)
  }

  @Test func whatTheAppWritesIsRecognized() throws {
    let file = URL(filePath: ReportFile.path("home-assistant-tag.ndef"))
    let message = try NDEFMessage(decoding: Array(try Data(contentsOf: file)))
    let id = "c8578b2a-9695-4b86-a4d0-d03b1baa8de8"
    #expect(HomeAssistantTag.id(in: message) == id)
    let own = HomeAssistantTag.message(id: id)
    #expect(own.records.map(\.description) == message.records.map(\.description))
    #expect(HomeAssistantTag.id(in: HomeAssistantTag.message(id: "Küche/1 b")) == "Küche/1 b")
  }

  /// The tap with this tag and message.
  private static func tap(
    _ uid: String = "04A1B2C3D4E5F6", kind: String? = nil, message: NDEFMessage? = nil,
    isRead: Bool = true
  ) -> Tap {
    Tap(
      time: .zero, reader: "r",
      tag: [JSONValue.Member(key: "uid", value: .string(uid))]
        + (kind.map { [JSONValue.Member(key: "uidKind", value: .string($0))] } ?? []),
      message: message, isRead: isRead)
  }

  @Test func identities() {
    let link = HomeAssistantTag.message(id: "x-1")
    #expect(Self.tap().tagID == "04A1B2C3D4E5F6")
    #expect(Self.tap(message: link).tagID == "x-1")
    #expect(Self.tap("08123456", kind: "random").tagID == "")
    #expect(Self.tap("08123456", kind: "random", message: link).tagID == "x-1")
    #expect(Self.tap(isRead: false).tagID == "", "it may have a link")
    #expect(Self.tap(message: link).json["tagID"]?.string == "x-1")
    #expect(Self.tap(message: link).presence["tagID"]?.string == "x-1")
  }

  @Test func theScannerTakesTheIdentity() throws {
    let discovery = HomeAssistantDiscovery(name: "door")
    let (_, payload) = discovery.message(for: "r", topics: MQTTTopic(prefix: "nfc", name: "door"))
    #expect(payload.contains(#""value_template":"{{ value_json.tagID }}""#))
  }

  @Test func tagsAreWritten() async throws {
    try await Tool.with("ntag215") { nfc async throws in
      let written = try await nfc(["write", "home-assistant", "kitchen lamp", "--json"])
      #expect(written.output.contains(#""tagID":"kitchen lamp""#), "\(written.errors)")
      let read = try await nfc(["read"])
      #expect(read.output.contains("https://www.home-assistant.io/tag/kitchen%20lamp"))
      #expect(read.output.contains("io.homeassistant.companion.android"))
      let first = try await nfc(["write", "home-assistant", "--json"]).output
      let second = try await nfc(["write", "home-assistant", "--json"]).output
      #expect(first.contains(#""tagID":""#) && first != second, "each gets an id of its own")
    }
  }

  @Test func tapsHaveTheIdentity() async throws {
    let link = HomeAssistantTag.message(id: "x-1")
    let tag = try VirtualTag.ntag215(uid: [4, 0x51, 0x2C, 0x8A, 0x3D, 0x61, 7], ndef: link)
    try await WatchBench.with(tags: [tag]) { bench in
      let tap = try #require(try await bench.watch.waitForLines(1).first)
      #expect(tap.contains(#""tagID":"x-1""#))
    }
  }
}
