import NFC
import TestSupport
import Testing
import VirtualNFC

/// A DESFire keeps to the form of the first command after its activation, and GetVersion in an APDU recognizes it.
@Suite(.replayed) struct DESFireFormTests {
  private static let message = NDEFMessage(.uri("https://swift.org"))

  private static func card(_ reader: Reader) async throws -> any MiFareTag {
    let tag = try await reader.firstTag(within: .seconds(10))
    try await tag.connect()
    guard case .miFare(let card) = tag else { throw NFCError(.wrongTag, "no DESFire") }
    return card
  }

  private static func check(_ card: any MiFareTag) async throws {
    #expect(card.family == .desfire)
    // GetVersion, with the native answer.
    #expect(
      try await card.sendMiFareCommand([0x60]) == [0xAF, 0x04, 0x01, 0x01, 0x01, 0x00, 0x18, 0x05])
    #expect(try await card.sendMiFareCommand([0xAF]).first == 0xAF)
    // NDEF's APDUs, and an APDU in place of a native command.
    #expect(try await card.readNDEF() == message)
    #expect(
      try await card.sendMiFareCommand([0x90, 0x6E, 0x00, 0x00, 0x00]).suffix(2) == [0x91, 0x00])
    #expect(try await card.sendMiFareCommand([0x5A, 0x00, 0x00, 0x00]) == [0x00])
    #expect(try await card.sendMiFareCommand([0x5A, 0x77, 0x00, 0x00]) == [0xA0])
    // Bytes that are neither.
    await #expect(throws: NFCError.self) { try await card.sendMiFareCommand([]) }
    await #expect(throws: NFCError.self) {
      try await card.sendMiFareCommand([UInt8](repeating: 0x3D, count: 300))
    }
  }

  @Test func overLibNFC() async throws {
    ReplayedReaders.begin()
    let field = VirtualField()
    field.place(try .desfire(ndef: Self.message))
    let virtual = try VirtualReader(field)
    let reader = try await Reader.open(virtual.connectionString)
    try await Self.check(Self.card(reader))
    await reader.close()
    virtual.close()
  }

  @Test func overPCSC() async throws {
    ReplayedReaders.begin()
    let field = VirtualField()
    field.place(try .desfire(ndef: Self.message))
    let virtual = VirtualPCSCReader(field)
    let reader = try await Reader.open(over: { virtual.service() })
    try await Self.check(Self.card(reader))
    await reader.close()
  }
}
