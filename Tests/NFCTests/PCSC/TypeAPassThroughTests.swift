import NFC
import TestSupport
import Testing
import VirtualNFC

@testable import SwiftNFCPCSC

/// Frames of type A through the commands of readers' makers, and reading without them.
@Suite struct TypeAPassThroughTests {
  typealias Bench = PCSCBench
  typealias Service = ScriptedService

  private static let uid: [UInt8] = [0x04, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66]
  private static let pages: [UInt8] = [
    0x04, 0x11, 0x22, 0xBF, 0x33, 0x44, 0x55, 0x66, 0x44, 0x48, 0x00, 0x00, 0xE1, 0x10, 0x12, 0x00,
  ]
  private static let ultralight = "3B8F8001804F0CA0000003060300030000000068"
  private static let identiv = "Identiv uTrust 3700 F CL Reader [uTrust 3700 F CL Reader] 00 00"

  private func miFare(
    _ tag: VirtualTag, _ dialect: VirtualPCSCReader.Dialect
  ) async throws -> (any MiFareTag, Bench) {
    let bench = try await Bench(tag, dialect: dialect)
    let found = try #require(try await bench.reader.tagsInField().first)
    try await found.connect()
    guard case .miFare(let tag) = found else { throw NFCError(.wrongTag, "\(found)") }
    return (tag, bench)
  }

  @Test(arguments: [VirtualPCSCReader.Dialect.identivPassThrough, .feliCaFrames])
  func sendsFrames(_ dialect: VirtualPCSCReader.Dialect) async throws {
    let (tag, bench) = try await miFare(.ntag215(), dialect)
    #expect(bench.reader.capabilities.commandPaths.map(\.name).contains("type A frames"))
    #expect(try await tag.product()?.name == "NTAG215")
    let ultralight = try #require(tag.ultralight)
    bench.virtual.setFaults([])
    #expect(try await tag.sendMiFareCommand([0x3A, 0x00, 0x0F]).count == 64)
    #expect(try await tag.sendMiFareCommand([0x30, 0x04]).count == 16)
    #expect(bench.virtual.statistics.exchanges == 2)
    #expect(try await ultralight.readSignature().count == 32)
    try await ultralight.writePage(5, [1, 2, 3, 4])
    #expect(try await ultralight.readPage(5) == [1, 2, 3, 4])
    // The password of a new tag, and its acknowledge.
    let password: [UInt8] = [0x1B, 0xFF, 0xFF, 0xFF, 0xFF]
    #expect(try await tag.sendMiFareCommand(password) == [0x00, 0x00])
    // Refused pages are not written, and the tag listens again afterwards. ACS's refusals have no code.
    let unread = await #expect(throws: NFCError.self) {
      _ = try await tag.sendMiFareCommand([0x30, 0xF0])
    }
    let hasCodes = dialect == .identivPassThrough
    #expect(unread?.code == (hasCodes ? .tagRefused : .tagResponseError))
    let unwritten = await #expect(throws: NFCError.self) {
      try await ultralight.writePage(0xF0, [1, 2, 3, 4])
    }
    #expect(unwritten?.code == (hasCodes ? .readOnly : .tagResponseError))
    #expect(try await ultralight.readPage(5) == [1, 2, 3, 4])
    bench.field.removeAll()
    let gone = await #expect(throws: NFCError.self) { _ = try await ultralight.readPage(5) }
    #expect(gone?.code == .tagConnectionLost)
  }

  /// The reader's own search would select the first sector again, without notice (`NTAG_I2C_RF.cpp` disables it).
  @Test func selectsNoSectorThatWouldBeLost() async throws {
    let (tag, _) = try await miFare(.ntag215(), .identivPassThrough)
    let error = await #expect(throws: NFCError.self) {
      _ = try await tag.sendMiFareCommand([0xC2, 0xFF])
    }
    #expect(error?.code == .unsupported)
    #expect(try await tag.sendMiFareCommand([0x30, 0x04]).count == 16)
    #expect(TypeAPassThrough.identiv.command(for: [0xC2, 0xFF]) == nil)
    #expect(
      TypeAPassThrough.acs.command(for: [0xC2, 0xFF]) == [0xFF, 0x00, 0x00, 0x00, 0x02, 0xC2, 0xFF])
  }

  /// The check of 00 00 is A0 1E (ISO/IEC 14443-3, annex B).
  @Test(arguments: [
    ("", ExchangeOutcome.noAnswer), ("0A", .answer([0x0A])), ("00", .answer([0x00])),
    ("00001EA0", .broken), ("0000A01E", .answer([0x00, 0x00])),
    ("00009000", .answer([0x00, 0x00])), ("0000A01E9000", .answer([0x00, 0x00])),
    ("0A9000", .answer([0x0A])), ("9000", .noAnswer), ("6300", .noAnswer), ("6F00", .noAnswer),
    ("6401", .noAnswer), ("6D00", .unknown(0x6D00)), ("6A81", .unknown(0x6A81)),
    ("6982", .refused(0x6982)), ("0102036300", .broken),
  ])
  func readsEitherFormOfAnAnswer(_ answer: String, _ outcome: ExchangeOutcome) {
    #expect(TypeAPassThrough.outcome(Service.bytes(answer)) == outcome)
  }

  @Test func writesTheAPDUs() {
    #expect(
      TypeAPassThrough.identiv.command(for: [0x30, 0x04])
        == [0xFF, 0xEF, 0x00, 0x00, 0x02, 0x30, 0x04])
    #expect(TypeAPassThrough.identiv.command(for: [UInt8](repeating: 0, count: 256)) == nil)
    #expect(TypeAPassThrough.acs.leavesToReader([0xA2, 0x04]))
    #expect(!TypeAPassThrough.acs.leavesToReader([0x30, 0x04]))
    #expect(!TypeAPassThrough.identiv.leavesToReader([0xA2, 0x04]))
  }

  // MARK: One page at a time

  /// `FF B0` of Identiv's readers returns one page of an Ultralight (uTrust 3720F, reference manual 1.00, 6.2.1). A
  /// reader may also name that length first.
  @Test(arguments: [false, true])
  func readsFourPagesOneByOne(_ namesLength: Bool) throws {
    let service = Service(Self.identiv, atr: Self.ultralight, [:])
    var unreadable: UInt8?
    service.script = { command throws(SmartCardFailure) in
      guard command.count == 5, command[0] == 0xFF else { return nil }
      if command[1] == 0xCA { return command[2] == 0 ? Self.uid + [0x90, 0x00] : nil }
      guard command[1] == 0xB0 else { return nil }
      guard command[3] != unreadable else { return [0x6A, 0x82] }
      if namesLength, command[4] != 0x04 { return [0x6C, 0x04] }
      guard command[3] > 3 else {
        return Array(Self.pages[4 * Int(command[3])..<4 * Int(command[3]) + 4]) + [0x90, 0x00]
      }
      return [UInt8](repeating: command[3], count: 4) + [0x90, 0x00]
    }
    let driver = try PCSCDriver("Identiv", over: service)
    let target = try #require(try driver.list(.iso14443a).first)
    #expect(target.identifier == Self.uid)
    #expect(driver.capabilities(for: target).commandPaths.map(\.name) == ["storage card"])
    let expected = (4..<8).flatMap { [UInt8](repeating: UInt8($0), count: 4) }
    let before = service.commands.count
    #expect(
      try driver.exchange([0x30, 0x04], framing: .checked, timeout: .seconds(1)) == expected)
    #expect(service.commands.count - before == (namesLength ? 8 : 4))
    unreadable = 6
    let error = #expect(throws: NFCError.self) {
      _ = try driver.exchange([0x30, 0x04], framing: .checked, timeout: .seconds(1))
    }
    #expect(error?.code == .tagRefused)
    #expect(throws: NFCError.self) {
      _ = try driver.exchange([0x30, 0xFE], framing: .checked, timeout: .seconds(1))
    }
  }
}
