import NFC
import Testing
import VirtualNFC

@Suite struct BadgeTests {
  let old = NDEFMessage(.uri("https://swift.org"))
  let new = NDEFMessage(.uri("https://example.com"))

  @Test func aBadgeIsWrittenAndRead() async throws {
    let field = VirtualField()
    let badge = VirtualTag.ntag215()
    field.place(badge)

    let reader = try await DirectReader(field).open()
    let tag = try await reader.firstTag(within: .seconds(1))
    try await tag.ndef?.writeNDEF(new)

    #expect(try await tag.ndef?.readNDEF() == new)
    #expect(badge.memory.contains(Array("example.com".utf8)))
    await reader.close()
  }

  @Test func aBadgeThatIsRemovedEarlyHoldsItsOldMessage() async throws {
    let field = VirtualField()
    let badge = try VirtualTag.ntag215(ndef: old)
    field.place(badge)
    let direct = DirectReader(field)
    let reader = try await direct.open()
    let tag = try await reader.firstTag(within: .seconds(1))

    direct.setFaults([Fault(.tagLeaves, at: .exchange(1))])
    await #expect(throws: NFCError.self) { try await tag.ndef?.writeNDEF(new) }

    field.place(badge)
    let again = try await reader.firstTag(within: .seconds(1))
    #expect(try await again.ndef?.readNDEF() == old)
    await reader.close()
  }
}
