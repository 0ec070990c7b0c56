import NFC
import SecureTags
import TagImages
import Testing
import VirtualNFC

@testable import SwiftNFCTool
@testable import TagTools

/// `nfc dump`, `nfc restore` and `nfc protect` on every tag from the field that has a memory, or a password.
@Suite struct FieldMemoryTests {
  private static func memory(_ tag: DetectedTag) throws -> MemoryTag {
    try #require(MemoryTag(tag))
  }

  /// The kinds of cards whose content no image holds.
  static let withMemory = FieldTag.all.filter {
    $0.content != .closed
      && (!$0.testDescription.hasPrefix("type 4") || $0.testDescription.contains("DESFire"))
  }

  /// An image written back to the tag that it was made of changes nothing, not even by a bit.
  @Test(arguments: withMemory) func restoresItsOwnImage(_ row: FieldTag) async throws {
    let bench = try await FieldBench(row)
    let before = bench.tag.memory
    let image = try await Self.memory(bench.found()).read(
      TagKeys(), password: nil, .everything
    ).image
    let report = try await Self.restore(image, to: bench)
    #expect(bench.tag.memory == before)
    #expect(report.allSatisfy { $0.written.isEmpty })
    bench.expectNothingUnasked()
    try await bench.expectReplay { tag, _ in
      let memory = try Self.memory(tag)
      _ = try await memory.read(TagKeys(), password: nil, .everything)
      _ = try await memory.restoration(of: image).0.run()
    }
  }

  /// What was written since is taken back, and nothing is made final by it.
  @Test(arguments: withMemory.filter { $0.cells.write == .done })
  func restoresAfterAWrite(_ row: FieldTag) async throws {
    let bench = try await FieldBench(row)
    let before = bench.tag.memory
    let image = try await Self.memory(bench.found()).read(
      TagKeys(), password: nil, .everything
    ).image
    try await bench.ndef().writeNDEFBytes(pattern(40, seed: 5), verify: false)
    _ = try await Self.restore(image, to: bench)
    // The counter of writes of a FeliCa Lite-S goes on.
    let counted = bench.tag.name == "felica-lite-s" ? 16 : 0
    #expect(bench.tag.memory.dropLast(counted) == before.dropLast(counted))
    bench.expectNothingUnasked()
  }

  private static func restore(
    _ image: TagImage, to bench: FieldBench
  ) async throws -> [RestoredPart] {
    try await memory(bench.found()).restoration(of: image).0.run()
  }

  // MARK: Passwords

  private static let password: [UInt8] = [0x11, 0x22, 0x33, 0x44]
  private static let longPassword: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
  private static let key = (0..<16).map { UInt8($0 * 2 + 1) }

  /// Closed to whoever has no password, the message as before; and open again with it.
  @Test(arguments: FieldTag.all.filter { $0.cells.protect != nil })
  func protects(_ row: FieldTag) async throws {
    let bench = try await FieldBench(row)
    let outcome = try #require(row.cells.protect)
    let before = bench.tag.memory
    guard
      try await bench.run(outcome, { tag, _ in try await Self.change(tag, isProtected: true) })
    else { return }
    let closed = bench.tag.memory
    try await RawWriting(bench).tryEverything()
    #expect(bench.tag.memory == closed)
    if case .message(let message) = row.content { #expect(try await bench.message() == message) }
    bench.field.remove(bench.tag)
    try await Self.change(bench.found(), isProtected: false)
    let end = Self.endOfData(bench.tag)
    #expect(bench.tag.memory.prefix(end) == before.prefix(end))
    if row.cells.write == .done {
      bench.field.remove(bench.tag)
      try await bench.ndef().writeNDEFBytes(pattern(20), verify: true)
    }
    bench.expectNothingUnasked()
  }

  /// Of an NTAG or Ultralight, up to the pages that hold the protection.
  private static func endOfData(_ tag: VirtualTag) -> Int {
    guard tag.modulation == .typeA else { return tag.memory.count }
    return tag.name == "ultralight-c" ? 160 : 16 + min(Int(tag.memory[14]) * 8, 864)
  }

  private static func change(_ tag: DetectedTag, isProtected: Bool) async throws {
    let name = try await tag.product()?.name ?? ""
    let secret = SecretKey(
      name == "MIFARE Ultralight C" ? key : name.hasPrefix("ST25") ? longPassword : password)
    do {
      try await tag.protect(
        isProtected ? TagProtection(password: secret) : nil, current: isProtected ? nil : secret,
        accepting: [.forgetsPassword, .forgetsKey])
    } catch TagProtectionError.newPasswordNotTried(let error) {
      throw error
    }
  }
}
