import Foundation
import NFC
import Testing
import VirtualNFC

@testable import SwiftNFCTool

/// Spools whose tag has its own format instead of NDEF.
@Suite struct SpoolTests {
  @Test func infoShowsASpool() async throws {
    let text = try await Tool.run("info", "--virtual", "tigertag")
    #expect(text.status == 0)
    for part in ["TigerTag Rosa3D PLA 640 g of 1000 left", "195 to 230 °C", "Starter Red"] {
      #expect(text.output.contains(part), "\(part)")
    }
    let plus = try await Tool.run("info", "--json", "--virtual", "tigertag-plus")
    #expect(plus.output.contains(#""tigerTag":{"variant":"TigerTag+","product":10,"#))
    #expect(plus.output.contains(#""ndef":{"uid":"04E10CDA993C80","status":"notSupported""#))
    let other = try await Tool.run("info", "--json", "--virtual", "ntag213")
    #expect(!other.output.contains("tigerTag"))
  }

  /// It has no message, and is not recommended to be overwritten.
  @Test func itIsNotABrokenMessage() async throws {
    for name in ["tigertag", "tigertag-plus"] {
      let result = try await Tool.run("read", "--json", "--virtual", name)
      #expect(result.status == 66)
      #expect(result.output.contains(#""status":"notSupported""#))
      #expect(result.errors.contains("TigerTag, which nfc info shows"))
      #expect(!result.errors.contains("erase"))
    }
  }

  /// A tag with a broken message is as before.
  @Test func aBrokenMessageIsBroken() async throws {
    let tag = VirtualTag.ntag213()
    var memory = tag.memory
    memory.replaceSubrange(16..<20, with: [0x5B, 0xF5, 0x92, 0x65])
    tag.memory = memory
    try await Tool.with([tag]) { nfc in
      let result = try await nfc(["read"])
      #expect(result.status == 65)
    }
  }
}
