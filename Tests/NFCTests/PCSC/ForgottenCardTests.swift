import NFC
import TestSupport
import Testing
import VirtualNFC

@testable import SwiftNFCPCSC

/// Cards as another program, or a moment out of the field, has left them.
@Suite(.replayed) struct ForgottenCardTests {
  typealias Dialect = VirtualPCSCReader.Dialect

  /// READ of a page, in the reader's commands for frames.
  private static func read(_ page: UInt8, _ dialect: Dialect) -> [[UInt8]] {
    switch dialect {
    case .directTransmit: [[0xFF, 0x00, 0x00, 0x00, 0x05, 0xD4, 0x40, 0x01, 0x30, page]]
    case .springCard: [[0xFF, 0xFE, 0x01, 0x00, 0x02, 0x30, page, 0x00]]
    default:
      [
        [0xFF, 0xC2, 0x00, 0x00, 0x02, 0x81, 0x00, 0x00],
        [0xFF, 0xC2, 0x00, 0x02, 0x04, 0x8F, 0x02, 0x00, 0x03, 0x00],
        [0xFF, 0xC2, 0x00, 0x01, 0x0B, 0x5F, 0x46, 0x04, 0xA0, 0x86, 0x01, 0x00]
          + [0x95, 0x02, 0x30, page, 0x00],
        [0xFF, 0xC2, 0x00, 0x00, 0x02, 0x82, 0x00, 0x00],
      ]
    }
  }

  /// Another program's READ, after which it leaves the card as it is. Returns the longest answer.
  private func read(_ page: UInt8, by other: any SmartCardService, on dialect: Dialect) throws
    -> [UInt8]
  {
    try other.connect(to: other.readers()[0])
    defer { other.disconnect() }
    return try Self.read(page, dialect)
      .map { try other.transmit($0, atMost: .seconds(1)) }
      .max { $0.count < $1.count } ?? []
  }

  /// After a refusal, a tag of type A is mute until it is woken (ISO/IEC 14443-3, 6.3): that says nothing about the
  /// reader.
  @Test(arguments: PCSCCardTests.framed)
  func wakesATagThatAnotherProgramHasLeftMute(_ dialect: Dialect) async throws {
    let field = VirtualField()
    field.place(.ntag213())
    let virtual = VirtualPCSCReader(field, dialect: dialect)
    let other = virtual.service()
    _ = try other.status(of: virtual.name)
    #expect(try read(0x04, by: other, on: dialect).count >= 18)
    #expect(try read(0xF0, by: other, on: dialect).count < 18)
    // A reader may activate the tag when a session is switched to its standard, as this one does.
    let isWoken = dialect == .transparentSession
    #expect(try (read(0x04, by: other, on: dialect).count >= 18) == isWoken)

    let reader = try await Reader.open(over: { virtual.service() })
    let found = try #require(try await reader.tagsInField().first)
    try await found.connect()
    guard case .miFare(let tag) = found else { throw NFCError(.wrongTag, "\(found)") }
    #expect(try await tag.product()?.name == "NTAG213")
    await reader.close()
  }

  @Test(arguments: PCSCCardTests.framed)
  func leavesNoTagMute(_ dialect: Dialect) async throws {
    let field = VirtualField()
    field.place(.ntag213())
    let virtual = VirtualPCSCReader(field, dialect: dialect)
    let reader = try await Reader.open(over: { virtual.service() })
    guard case .miFare(let tag)? = try await reader.tagsInField().first else {
      throw NFCError(.wrongTag, "no MIFARE tag")
    }
    try await tag.connect()
    await #expect(throws: NFCError.self) { _ = try await tag.sendMiFareCommand([0x30, 0xF0]) }
    await reader.close()
    #expect(try read(0x04, by: virtual.service(), on: dialect).count >= 18)
  }

  /// A card that was away for so short a time that the service has not noticed. The reader takes no command for it
  /// before its power is switched.
  @Test(arguments: ["ntag213", "type4", "classic-1k", "icode-slix2"])
  func findsACardThatTheReaderHasForgotten(_ name: String) throws {
    let field = VirtualField()
    field.place(try .named(name))
    let service = ForgetfulService(VirtualPCSCReader(field).service())
    let driver = try PCSCDriver("", over: service)
    func find() throws -> Bool {
      try driver.resetField()
      let technologies: [TagTechnology] = [.iso14443a, .iso15693]
      return try technologies.map { try driver.list($0).isEmpty }.contains(false)
    }
    service.hasForgotten = true
    #expect(try find() || find())
    driver.close()
  }

  /// A frame that is lost while the reader is being found out does not make it one without frames.
  @Test(arguments: PCSCCardTests.framed)
  func takesNoSilentCardForAReaderWithoutFrames(_ dialect: Dialect) async throws {
    for tag in [VirtualTag.ntag213(), .feliCaLiteS()] {
      let field = VirtualField()
      field.place(tag)
      let virtual = VirtualPCSCReader(field, dialect: dialect)
      let driver = try PCSCDriver("", over: virtual.service())
      let technology: TagTechnology = tag.identifier.count == 8 ? .feliCa : .iso14443a
      virtual.setFaults([.init(.frameLost, at: 0)])
      var found: [Target] = []
      for _ in 0..<2 where found.isEmpty {
        try driver.resetField()
        found = try driver.list(technology)
      }
      let target = try #require(found.first)
      let paths = driver.capabilities(for: target).commandPaths.map(\.name)
      #expect(!["storage card", "get data"].contains(paths.first), "\(tag.name): \(paths)")
      driver.close()
    }
  }
}

/// A service whose reader, once it has forgotten its card, executes no command for it until the card's power is
/// switched.
private final class ForgetfulService: ForwardingService {
  var hasForgotten = false

  override func transmit(
    _ command: [UInt8], atMost timeout: Duration
  ) throws(SmartCardFailure) -> [UInt8] {
    guard !hasForgotten else { throw .notTransacted }
    return try super.transmit(command, atMost: timeout)
  }

  override func reset() throws(SmartCardFailure) {
    hasForgotten = false
    try super.reset()
  }

  override func powerOff() {
    hasForgotten = false
    super.powerOff()
  }
}
