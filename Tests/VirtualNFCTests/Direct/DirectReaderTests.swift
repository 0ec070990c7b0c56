import Foundation
import NDEF
import SwiftNFCCore
import Testing

@testable import VirtualNFC

/// Tests that a reader in the process behaves like one on a serial line.
@Suite struct DirectReaderTests {
  private static let message = NDEFMessage(.uri("https://swift.org/documentation"))

  private static func reader(_ tags: VirtualTag...) async throws -> (DirectReader, Reader) {
    let direct = DirectReader(VirtualField())
    for tag in tags { direct.field.place(tag) }
    return (direct, try await direct.open())
  }

  /// The code in the documentation is compiled and run: it is in the files next to this one.
  @Test(arguments: ["UnitTestExample.swift", "OwnCardExample.swift"])
  func theDocumentationShowsWhatRuns(_ file: String) throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let root = folder.deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let article = try String(
      contentsOf: root.appending(path: "Sources/VirtualNFC/VirtualNFC.docc/UnitTests.md"),
      encoding: .utf8)
    let example = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
    #expect(article.contains("```swift\n" + example + "```\n"))
  }

  @Test(arguments: [
    "ntag213", "ntag216", "ultralight-c", "classic-1k", "classic-4k", "type4", "type4b",
    "felica-lite-s", "topaz96", "icode-slix2", "st25dv",
  ])
  func messagesAreWrittenAndRead(_ name: String) async throws {
    let chip = try VirtualTag.named(name)
    let (_, reader) = try await Self.reader(chip)
    let tag = try await reader.firstTag(within: .zero)
    #expect(chip.identifier.starts(with: tag.identifier))
    let ndef = try #require(tag.ndef)
    #expect(try await ndef.queryNDEFStatus().access == .readWrite)
    try await ndef.writeNDEF(Self.message, verify: true)
    #expect(try await ndef.readNDEF() == Self.message)
    #expect(try await tag.isPresent())
    await reader.close()
  }

  /// Printing a tag shows what distinguishes it, and nothing of the reader.
  @Test(arguments: [
    ("ntag213", "iso14443a"), ("classic-1k", "iso14443a"), ("type4b", "iso14443b"),
    ("suica", "felica"), ("icode-slix2", "iso15693"), ("topaz96", "jewel"),
  ])
  func aTagIsPrintedByItsIdentifier(_ name: String, _ technology: String) async throws {
    let chip = try VirtualTag.named(name)
    let (_, reader) = try await Self.reader(chip)
    let tag = try await reader.firstTag(within: .zero)
    #expect("\(tag)" == "\(technology) \(tag.identifier.hexadecimal)")
    #expect(!tag.identifier.isEmpty)
    await reader.close()
  }

  @Test func severalTagsOfEachTechnologyAreFound() async throws {
    let (_, reader) = try await Self.reader(
      .ntag213(uid: [4, 1, 2, 3, 4, 5, 6]), .ntag215(uid: [4, 9, 8, 7, 6, 5, 4]), .classic1K(),
      .suica(), .type4B(), .icodeSLIX2(), .st25dv())
    let found = try await reader.tagsInField()
    let counts = Dictionary(grouping: found, by: \.technology).mapValues(\.count)
    #expect(counts == [.iso14443a: 3, .feliCa: 1, .iso14443b: 1, .iso15693: 2])
    for tag in found {
      try await tag.connect()
      #expect(try await tag.isPresent())
    }
    await reader.close()
  }

  @Test func whatLeavesIsLost() async throws {
    for name in ["ntag213", "classic-1k", "type4", "type4b", "suica", "icode-slix2", "topaz96"] {
      let chip = try VirtualTag.named(name)
      let (direct, reader) = try await Self.reader(chip)
      let tag = try await reader.firstTag(within: .zero)
      direct.field.remove(chip)
      #expect(try await !tag.isPresent(), "\(name)")
      let error = await #expect(throws: NFCError.self) {
        try await reader.firstTag(within: .zero)
      }
      #expect(error?.code == .noTag)
      await reader.close()
    }
  }

  @Test func faultsAndCounts() async throws {
    let (direct, reader) = try await Self.reader(try .ntag215(ndef: Self.message))
    let tag = try await reader.firstTag(within: .zero)
    direct.setFaults([])
    _ = try await tag.ndef?.readNDEF()
    let count = direct.exchanges
    #expect(count > 0)
    for exchange in 0..<count {
      let (direct, reader) = try await Self.reader(try .ntag215(ndef: Self.message))
      let tag = try await reader.firstTag(within: .zero)
      direct.setFaults([Fault(.tagLeaves, at: .exchange(exchange))])
      let error = await #expect(throws: NFCError.self) { try await tag.ndef?.readNDEF() }
      #expect(error?.code == .tagConnectionLost)
    }
    await reader.close()
  }

  @Test func aWrongKeyIsAnError() async throws {
    let (_, reader) = try await Self.reader(.classic1K())
    guard case .miFare(let tag) = try await reader.firstTag(within: .zero) else {
      Issue.record("no MIFARE tag")
      return
    }
    let classic = try #require(tag.classic)
    let error = await #expect(throws: NFCError.self) {
      try await classic.authenticate(
        block: 4, with: #require(MiFareClassicKey([1, 2, 3, 4, 5, 6])), as: .a)
    }
    #expect(error?.code == .authenticationFailed)
    var opening: [MiFareClassicKey] = []
    for key in MiFareClassicKey.wellKnown {
      do {
        try await classic.authenticate(block: 4, with: key, as: .a)
        opening.append(key)
      } catch NFCError.Group.refusal {
        // Another of them is the sector's.
      }
    }
    #expect(opening.count == 1)
    await reader.close()
  }

  @Test func whatItCannotPollIsRefused() async throws {
    let (_, reader) = try await Self.reader()
    let error = await #expect(throws: NFCError.self) {
      try await reader.firstTag(polling: .iClass, within: .zero)
    }
    #expect(error?.code == .unsupported)
    #expect(throws: NFCError.self) { try DirectReader(VirtualField()).driver().list(.barcode) }
    await reader.close()
  }

  @Test func aClosedReaderHasNoCarrier() async throws {
    let (direct, reader) = try await Self.reader(.ntag213())
    _ = try await reader.firstTag(within: .zero)
    #expect(direct.field.isPowered)
    await reader.close()
    #expect(!direct.field.isPowered)
    let error = await #expect(throws: NFCError.self) { try await reader.firstTag(within: .zero) }
    #expect(error?.code == .readerLost)
  }
}
