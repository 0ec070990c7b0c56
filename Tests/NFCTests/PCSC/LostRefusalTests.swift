import NFC
import TestSupport
import Testing
import VirtualNFC

@testable import SwiftNFCPCSC

/// A tag behind a password, on readers with frames. An ACR122U loses the code of a refusal: it reports a broken answer,
/// and then silence, because the tag sleeps.
@Suite(.replayed) struct LostRefusalTests {
  private static let password: [UInt8] = [0x11, 0x22, 0x33, 0x44]

  /// A service whose reader begins no transparent session within another: what a reader does then is not public, nor
  /// whether switching off the card ends one.
  private static func strict(_ base: any SmartCardService) -> InterposedService {
    var isInSession = false
    return InterposedService(base) { command, pass throws(SmartCardFailure) in
      if command == TransparentSession.startCommand {
        guard !isInSession else { return [0x69, 0x00] }
        isInSession = true
      } else if command == TransparentSession.endCommand {
        isInSession = false
      }
      return try pass(command)
    }
  }

  /// An NTAG213 whose pages from one on require a password for reading as well (NTAG213 data sheet, 8.5.7): from 4 on,
  /// or all of them, those that show its UID among them.
  private func protected(
    _ dialect: VirtualPCSCReader.Dialect, from page: UInt8 = 4
  ) async throws -> any MiFareTag {
    let field = VirtualField()
    field.place(.ntag213())
    let virtual = VirtualPCSCReader(field, dialect: dialect)
    ReplayedReaders.begin()
    func tag() async throws -> (Reader, any MiFareTag) {
      let reader = try await Reader.open(over: { Self.strict(virtual.service()) })
      guard case .miFare(let tag)? = try await reader.tagsInField().first else {
        throw NFCError(.wrongTag, "no MIFARE tag")
      }
      try await tag.connect()
      return (reader, tag)
    }
    let (reader, open) = try await tag()
    let ultralight = try #require(open.ultralight)
    try await ultralight.writePage(43, Self.password)
    try await ultralight.writePage(42, [0x80, 0x05, 0x00, 0x00])
    try await ultralight.writePage(41, [0x04, 0x00, 0x00, page])
    // After a refusal, the tag starts again when it is left.
    await #expect(throws: NFCError.self) { _ = try await open.sendMiFareCommand([0x30, 0xF0]) }
    await reader.close()
    return try await tag().1
  }

  @Test(arguments: PCSCCardTests.framed, [0, 4] as [UInt8])
  func isAWrongPassword(_ dialect: VirtualPCSCReader.Dialect, _ page: UInt8) async throws {
    let tag = try await protected(dialect, from: page)
    let ultralight = try #require(tag.ultralight)
    let error = await #expect(throws: NFCError.self) {
      _ = try await ultralight.authenticate(password: [1, 2, 3, 4])
    }
    #expect(error?.code == .authenticationFailed, "\(String(describing: error))")
    #expect(try await ultralight.authenticate(password: Self.password) == [0x00, 0x00])
    #expect(try await tag.readNDEFBytes() == nil)
  }

  /// Also if the chip is known, which has another command for the pages up to the first closed one.
  @Test(arguments: PCSCCardTests.framed, [0, 4] as [UInt8])
  func isAProtectedPage(_ dialect: VirtualPCSCReader.Dialect, _ page: UInt8) async throws {
    let tag = try await protected(dialect, from: page)
    #expect(try await tag.product()?.name == "NTAG213")
    let error = await #expect(throws: NFCError.self) { _ = try await tag.readNDEFContent() }
    #expect(error?.code == .notAuthenticated, "\(String(describing: error))")
    // That the reader takes the refusal for a broken answer means nothing to people.
    #expect(error.map { "\($0)".contains("check") } == false)
  }

  /// A tag that shows no page is there until it leaves.
  @Test(arguments: PCSCCardTests.framed)
  func isNoSignOfAnotherTag(_ dialect: VirtualPCSCReader.Dialect) async throws {
    let tag = try await protected(dialect, from: 0)
    for _ in 0..<3 { #expect(try await tag.isPresent()) }
    #expect(try await tag.product()?.name == "NTAG213")
  }

  /// As much is saved as on a reader that reports the code of a refusal.
  @Test(arguments: PCSCCardTests.framed)
  func isTheEndOfADump(_ dialect: VirtualPCSCReader.Dialect) async throws {
    let tag = try await protected(dialect)
    let ultralight = try #require(tag.ultralight)
    let dump = try await ultralight.dump()
    #expect(dump.firstProtectedPage == 4)
    #expect(try await ultralight.dump(password: Self.password).isComplete)
  }

  /// What a tag without the password says about its settings is that it requires one.
  @Test(arguments: PCSCCardTests.framed)
  func isNoBrokenConfiguration(_ dialect: VirtualPCSCReader.Dialect) async throws {
    let tag = try await protected(dialect)
    let ultralight = try #require(tag.ultralight)
    let error = await #expect(throws: NFCError.self) {
      _ = try await ultralight.protectionPlan(nil)
    }
    #expect(error?.code == .notAuthenticated, "\(String(describing: error))")
  }
}
