import NFC
import Testing
import VirtualNFC

/// 80 10 returns the points, 80 20 adds some.
struct LoyaltyApplet: VirtualApplet {
  let aid: [UInt8] = [0xF0, 0x01, 0x02, 0x03, 0x04]
  var points: UInt8 = 7
  var memory: [UInt8] {
    get { [points] }
    set { points = newValue.first ?? points }
  }

  mutating func select() -> [UInt8] { [0x90, 0x00] }
  mutating func deselect() {}

  mutating func process(_ apdu: [UInt8]) -> [UInt8] {
    guard let command = APDU(apdu) else { return [0x67, 0x00] }  // wrong length
    switch (command.instructionCode, command.data.first) {
    case (0x10, nil): return [points, 0x90, 0x00]
    case (0x20, let more?) where more <= .max - points:
      points += more
      return [0x90, 0x00]
    default: return [0x6A, 0x80]  // wrong data
    }
  }
}

@Test func pointsAreAdded() async throws {
  let field = VirtualField()
  let card = ISO7816Card(name: "loyalty", uid: [4, 1, 2, 3, 4, 5, 6], applets: [LoyaltyApplet()])
  field.place(VirtualTag(card))
  let reader = try await DirectReader(field).open()
  let found = try await reader.firstTag(within: .seconds(1))
  let tag = try #require(found.tag as? any ISO7816Tag)
  _ = try await tag.selectApplication(of: ["F001020304"])
  let add = APDU(instructionClass: 0x80, instructionCode: 0x20, p1: 0, p2: 0, data: [5])
  #expect(try await tag.sendCommand(add).isSuccess)
  let read = APDU(instructionClass: 0x80, instructionCode: 0x10, p1: 0, p2: 0, expectedLength: 1)
  #expect(try await tag.sendCommand(read).data == [12])
  await reader.close()
}
