import NFC
import SwiftNFCCore
import Testing
import VirtualNFC

@testable import SwiftNFCPCSC

/// Light and buzzer of PC/SC readers, in the bytes of their manuals.
@Suite struct ReaderSignalTests {
  private func open(_ virtual: VirtualPCSCReader) async throws -> Reader {
    try await Reader.open(over: { virtual.service() })
  }

  /// With a card, the command goes through its connection, which no setting of libccid forbids.
  @Test(arguments: [true, false])
  func anACR122UBlinks(_ hasCard: Bool) async throws {
    let field = VirtualField()
    if hasCard { field.place(.ntag213()) }
    let virtual = VirtualPCSCReader(field, dialect: .directTransmit)
    virtual.setControl(isPassedOn: !hasCard)
    let reader = try await open(virtual)
    if hasCard { _ = try await reader.firstTag(polling: .iso14443a, within: .seconds(2)) }
    try await reader.signal(.success)
    try await reader.signal(.failure)
    #expect(
      virtual.signals == [
        [0xFF, 0x00, 0x40, 0xA0, 0x04, 0x02, 0x00, 0x01, 0x01],
        [0xFF, 0x00, 0x40, 0x50, 0x04, 0x05, 0x00, 0x01, 0x01],
      ])
    await reader.close()
  }

  /// The lights are as before afterwards. An ACR1255U has the bits of red and green the other way round.
  @Test(arguments: [
    ("ACS ACR1252 Dual Reader [ACR1252 Dual Reader PICC] 00 00", UInt8(0x02), UInt8(0x01)),
    ("ACS ACR1255U-J1 PICC Reader 00 00", 0x01, 0x02),
  ])
  func othersSwitchTheirLights(_ name: String, _ green: UInt8, _ red: UInt8) async throws {
    let virtual = VirtualPCSCReader(VirtualField(), dialect: .feliCaFrames, name: name)
    let reader = try await open(virtual)
    try await reader.signal(.success)
    try await reader.signal(.failure)
    #expect(
      virtual.signals == [
        [0xE0, 0x00, 0x00, 0x29, 0x01, green], [0xE0, 0x00, 0x00, 0x28, 0x01, 15],
        [0xE0, 0x00, 0x00, 0x29, 0x01, 0x00], [0xE0, 0x00, 0x00, 0x29, 0x01, red],
        [0xE0, 0x00, 0x00, 0x28, 0x01, 50], [0xE0, 0x00, 0x00, 0x29, 0x01, 0x00],
      ])
    await reader.close()
  }

  /// A tag that is connected is still so.
  @Test func aTagStaysConnected() async throws {
    let field = VirtualField()
    field.place(.ntag213())
    let virtual = VirtualPCSCReader(field, dialect: .directTransmit)
    let reader = try await open(virtual)
    let tag = try await reader.firstTag(polling: .iso14443a, within: .seconds(2))
    let before = try await tag.ndef?.queryNDEFStatus()
    try await reader.signal(.success)
    #expect(try await tag.ndef?.queryNDEFStatus() == before)
    await reader.close()
  }

  @Test func aDriverThatPassesNothingOnIsNamed() async throws {
    let virtual = VirtualPCSCReader(VirtualField(), dialect: .feliCaFrames)
    virtual.setControl(isPassedOn: false)
    let reader = try await open(virtual)
    let error = await #expect(throws: NFCError.self) { try await reader.signal(.success) }
    #expect(error?.code == .unsupported)
    #expect(error?.reason.contains("ifdDriverOptions to 0x0001") == true)
    await reader.close()
  }

  @Test func aReaderWithoutSaysSo() async throws {
    for dialect: VirtualPCSCReader.Dialect in [.omnikey, .sonyTransparentSession, .springCard] {
      let virtual = VirtualPCSCReader(VirtualField(), dialect: dialect)
      let reader = try await open(virtual)
      let error = await #expect(throws: NFCError.self) { try await reader.signal(.success) }
      #expect(error?.code == .unsupported)
      #expect(virtual.signals.isEmpty)
      await reader.close()
    }
    let direct = try await DirectReader(VirtualField()).open()
    let error = await #expect(throws: NFCError.self) { try await direct.signal(.failure) }
    #expect(error?.code == .unsupported)
    await direct.close()
  }

  @Test(
    arguments: [
      ([0x13, 0x04, 0x42, 0x00, 0x00, 0x01], 0x4200_0001),
      ([0x12, 0x04, 0x42, 0x33, 0x00, 0x12, 0x13, 0x04, 0x42, 0x00, 0x0D, 0xAC], 0x4200_0DAC),
      ([], nil), ([0x12, 0x04, 0x42, 0x33, 0x00, 0x12], nil), ([0x13, 0x04, 0x42], nil),
      ([0x13, 0x02, 0x42, 0x00], nil), ([0x13], nil), ([0x13, 0xFF, 0x00], nil),
    ] as [([UInt8], UInt?)])
  func findsTheControlCode(_ features: [UInt8], _ code: UInt?) {
    #expect(PCSCLite.code(inFeatures: features).map { UInt($0) } == code)
  }

  @Test(
    arguments: [
      ([0xE1, 0x00, 0x00, 0x00, 0x01, 0x02], 0x02), ([0xE1, 0x00, 0x00, 0x00, 0x00], nil),
      ([], nil),
      ([0x90, 0x00], nil), ([0xE1, 0x00, 0x00, 0x00, 0x01, 0x02, 0x03], nil),
    ] as [([UInt8], UInt8?)])
  func readsAnswers(_ answer: [UInt8], _ state: UInt8?) {
    #expect(SignalCommands.state(in: answer) == state)
  }
}
