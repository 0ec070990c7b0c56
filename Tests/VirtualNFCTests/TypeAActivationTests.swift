import SwiftNFCCore
import Testing

@testable import VirtualNFC

/// ISO/IEC 14443-3: 6.3 to 6.5.
@Suite struct TypeAActivationTests {
  static let request = RadioFrame.typeA(bare: [0x26], bitsInLastByte: 7)
  static let wakeUp = RadioFrame.typeA(bare: [0x52], bitsInLastByte: 7)
  static let halt = RadioFrame.typeA([0x50, 0x00])

  static func card(_ uid: [UInt8]) -> TypeAActivation {
    var card = TypeAActivation(uid: uid, atqa: [0x44, 0x00], sak: 0x20)
    card.powerOn()
    return card
  }

  /// Returns a frame with the first `bits` bits of a cascade level.
  static func anticollision(_ code: UInt8, _ known: [UInt8], bits: Int) -> RadioFrame {
    let count = bits / 8 + 2
    return RadioFrame(
      [code, UInt8(count << 4 | bits % 8)] + known.prefix((bits + 7) / 8), modulation: .typeA,
      bitsInLastByte: bits % 8 == 0 ? 8 : bits % 8)
  }

  // MARK: UIDs of each size

  @Test(arguments: [
    ("01020304", ["0102030404"]),
    ("04E10CDA993C80", ["8804E10C61", "DA993C80FF"]),
    ("04112233445566778899", ["88041122BF", "88334455AA", "6677889900"]),
  ])
  func levels(uid: String, parts: [String]) throws {
    let bytes = try #require([UInt8](hexadecimal: uid))
    var card = Self.card(bytes)
    #expect(card.receive(Self.request) == .handled(.typeA(bare: [0x44, 0x00])))
    for (level, text) in parts.enumerated() {
      let part = try #require([UInt8](hexadecimal: text))
      let code: UInt8 = [0x93, 0x95, 0x97][level]
      #expect(
        card.receive(Self.anticollision(code, [], bits: 0)) == .handled(.typeA(bare: part)))
      #expect(!card.isActive)
      let sak: UInt8 = level == parts.count - 1 ? 0x20 : 0x04
      #expect(card.receive(.typeA([code, 0x70] + part)) == .handled(.typeA([sak])))
    }
    #expect(card.isActive && card.state == .active)
  }

  // MARK: States

  static func active(fromHalt: Bool = false) -> TypeAActivation {
    var card = card([1, 2, 3, 4])
    _ = card.receive(request)
    _ = card.receive(.typeA([0x93, 0x70, 1, 2, 3, 4, 4]))
    if fromHalt {
      _ = card.receive(halt)
      _ = card.receive(wakeUp)
      _ = card.receive(.typeA([0x93, 0x70, 1, 2, 3, 4, 4]))
    }
    return card
  }

  static func ready(fromHalt: Bool = false) -> TypeAActivation {
    var card = card([1, 2, 3, 4])
    if fromHalt {
      card = active()
      _ = card.receive(halt)
    }
    _ = card.receive(fromHalt ? wakeUp : request)
    return card
  }

  @Test func startStates() {
    #expect(Self.active().state == .active)
    #expect(Self.active(fromHalt: true).state == .activeFromHalt)
    #expect(Self.ready().state == .ready(cascadeLevel: 0))
    #expect(Self.ready(fromHalt: true).state == .readyFromHalt(cascadeLevel: 0))
  }

  /// Figure 7: an invalid frame returns the card to IDLE, or to HALT if it came from there.
  @Test(arguments: [
    ("REQA", request), ("WUPA", wakeUp), ("HLTA", halt),
    ("wrong SEL", .typeA(bare: [0x95, 0x20])),
    ("other UID", .typeA([0x93, 0x70, 1, 2, 3, 5, 5])),
    ("wrong BCC", .typeA([0x93, 0x70, 1, 2, 3, 4, 5])),
    ("SELECT with a wrong CRC", .typeA(bare: [0x93, 0x70, 1, 2, 3, 4, 4, 0, 0])),
    ("short SELECT", .typeA([0x93, 0x70, 1, 2, 3, 4])),
    ("other bits", anticollision(0x93, [0x02], bits: 3)),
    ("fewer bits than NVB says", .typeA(bare: [0x93, 0x40, 1])),
    ("more bits than NVB says", .typeA(bare: [0x93, 0x20, 1])),
    ("NVB below two bytes", .typeA(bare: [0x93, 0x10])),
    ("NVB with nine bits", .typeA(bare: [0x93, 0x29, 1])),
    ("NVB too large", .typeA(bare: [0x93, 0x71, 1, 2, 3, 4, 4])),
    ("SEL alone", .typeA(bare: [0x93])),
    ("nothing", .typeA(bare: [])),
    ("five bits", .typeA(bare: [0x13], bitsInLastByte: 5)),
    (
      "wrong parity",
      RadioFrame([0x93, 0x20], modulation: .typeA, parity: [true, true])
    ),
  ])
  func errorsInReady(name: String, frame: RadioFrame) {
    for fromHalt in [false, true] {
      var card = Self.ready(fromHalt: fromHalt)
      #expect(card.receive(frame) == .handled(nil))
      #expect(card.state == (fromHalt ? .halt : .idle))
      // In HALT, only WUPA is accepted.
      #expect(card.receive(Self.request) == .handled(fromHalt ? nil : .typeA(bare: [0x44, 0x00])))
    }
  }

  @Test func rightParityIsNotAnError() {
    var card = Self.ready()
    // The bytes 93 and 20 have four ones and one.
    let frame = RadioFrame([0x93, 0x20], modulation: .typeA, parity: [true, false])
    #expect(card.receive(frame) == .handled(.typeA(bare: [1, 2, 3, 4, 4])))
  }

  @Test(arguments: [true, false])
  func requestInActive(fromHalt: Bool) {
    for frame in [Self.request, Self.wakeUp] {
      var card = Self.active(fromHalt: fromHalt)
      #expect(card.receive(frame) == .handled(nil))
      #expect(card.state == (fromHalt ? .halt : .idle))
      #expect(card.receive(Self.wakeUp) == .handled(.typeA(bare: [0x44, 0x00])))
    }
  }

  @Test func haltAndWakeUp() {
    var card = Self.active()
    #expect(card.receive(Self.halt) == .handled(nil))
    #expect(card.state == .halt)
    #expect(card.receive(Self.request) == .handled(nil))
    #expect(card.receive(.typeA([0x30, 0x00])) == .handled(nil))
    #expect(card.state == .halt)
    #expect(card.receive(Self.wakeUp) == .handled(.typeA(bare: [0x44, 0x00])))
    #expect(card.receive(.typeA([0x93, 0x70, 1, 2, 3, 4, 4])) == .handled(.typeA([0x20])))
    #expect(card.state == .activeFromHalt)
    card.powerOff()
    #expect(card.receive(Self.wakeUp) == .handled(nil))
    card.powerOn()
    #expect(card.receive(Self.request) == .handled(.typeA(bare: [0x44, 0x00])))
  }

  @Test func commandsAndErrorsInActive() {
    var card = Self.active()
    #expect(card.receive(.typeA([0x30, 0x04])) == .command([0x30, 0x04]))
    #expect(card.receive(.typeA([])) == .command([]))
    let wrong = RadioFrame.typeA(bare: [0x30, 0x04, 0x00, 0x00])
    #expect(card.receive(wrong) == .other(wrong))
    let nibble = RadioFrame.typeA(bare: [0x0A], bitsInLastByte: 4)
    #expect(card.receive(nibble) == .other(nibble))
    var encrypted = RadioFrame.typeA([0x30, 0x04])
    encrypted.parity = [true, true, true, true]
    #expect(card.receive(encrypted) == .other(encrypted))
    // The chip decides the result of an error; until then the card remains selected.
    #expect(card.isActive)
    card.stopResponding()
    #expect(card.state == .idle)
    #expect(card.receive(.typeB([0x05, 0x00, 0x00])) == .handled(nil))
  }

  @Test func dataAreNotActivation() {
    var card = Self.active()
    card.expectsData = true
    #expect(card.receive(Self.halt) == .command([0x50, 0x00]))
    #expect(card.receive(Self.request) == .other(Self.request))
    card.stopResponding()
    #expect(!card.expectsData)
    #expect(card.receive(Self.request) == .handled(.typeA(bare: [0x44, 0x00])))
  }

  /// A frame whose number of bits does not match its bytes.
  @Test(arguments: [-1, 0, 9, 16, Int.max / 2])
  func impossibleFrames(bits: Int) {
    for var card in [Self.card([1, 2, 3, 4]), Self.ready(), Self.active()] {
      let frame = RadioFrame([0x93, 0x30], modulation: .typeA, bitsInLastByte: bits)
      #expect(card.receive(frame) == .handled(nil))
    }
  }

  // MARK: Several in a field

  /// Finds all cards that answer one REQA by the binary search of 6.5.3, and halts each card that it has
  /// found.
  static func inventory(_ field: VirtualField) -> [[UInt8]] {
    var found: [[UInt8]] = []
    while found.count < 10, field.transmit(request) != .silence {
      var uid: [UInt8] = []
      levels: for code in [UInt8(0x93), 0x95, 0x97] {
        var known: [UInt8] = []
        var bits = 0
        search: while true {
          let reception = field.transmit(anticollision(code, known, bits: bits))
          let received: [UInt8]
          let end: Int
          switch reception {
          case .silence: return found
          case .frame(let frame):
            received = frame.bytes
            end = 40
          case .collision(let frame, let bit):
            received = frame.bytes
            end = bits / 8 * 8 + bit
          }
          var all = Array(known.prefix(bits / 8)) + received
          if end == 40 {
            known = all
            break search
          }
          // Takes the branch with a 1 where they differ.
          while all.count <= end / 8 { all.append(0) }
          all[end / 8] |= 1 << UInt8(end % 8)
          known = all
          bits = end + 1
        }
        guard case .frame(let sak) = field.transmit(.typeA([code, 0x70] + known)) else {
          return found
        }
        uid += sak.bytes[0] & 0x04 != 0 ? known[1..<4] : known[0..<4]
        if sak.bytes[0] & 0x04 == 0 { break levels }
      }
      found.append(uid)
      _ = field.transmit(halt)
    }
    return found
  }

  @Test(
    arguments: [
      // The UIDs differ in the first level, only in the second, in the last bit, and not in length.
      [[4, 1, 2, 3, 4, 5, 6], [4, 1, 3, 3, 4, 5, 6]],
      [[4, 1, 2, 3, 4, 5, 6], [4, 1, 2, 3, 4, 5, 0x86]],
      [[4, 1, 2, 3, 4, 5, 6], [4, 1, 2, 2, 4, 5, 6], [4, 1, 2, 0x82, 4, 5, 6]],
      [
        [4, 1, 2, 3, 4, 5, 6], [4, 0xFF, 2, 3, 4, 5, 6], [4, 0, 0, 0, 0, 0, 0],
        [4, 9, 9, 9, 9, 9, 9],
      ],
      [[4, 1, 2, 3, 4, 5, 6]],
    ] as [[[UInt8]]])
  func anticollisionInAField(uids: [[UInt8]]) {
    let field = VirtualField()
    for uid in uids { field.place(.ntag213(uid: uid)) }
    field.setPower(true)
    let found = Self.inventory(field)
    #expect(found.count == uids.count)
    #expect(Set(found) == Set(uids))
    // All are in HALT now.
    #expect(field.transmit(Self.request) == .silence)
    #expect(field.transmit(Self.wakeUp) == .frame(.typeA(bare: [0x44, 0x00])))
  }

  @Test func collisionIsAtTheFirstDifferentBit() {
    let field = VirtualField()
    field.place(.ntag213(uid: [4, 0x11, 2, 3, 4, 5, 6]))
    field.place(.ntag213(uid: [4, 0x31, 2, 3, 4, 5, 6]))
    field.setPower(true)
    _ = field.transmit(Self.request)
    // 88 04 and five bits of 11 and 31 are equal. Where both cards send, a one covers a zero; the check
    // bytes are 9F and BF.
    let expected = RadioFrame(
      [0x88, 0x04, 0x31, 0x02, 0x9F | 0xBF], modulation: .typeA, bitsInLastByte: 8)
    #expect(
      field.transmit(Self.anticollision(0x93, [], bits: 0)) == .collision(expected, bit: 21))
    // The card with a 1 continues without the other, from the byte that was split.
    let known: [UInt8] = [0x88, 0x04, 0x31]
    #expect(
      field.transmit(Self.anticollision(0x93, known, bits: 22))
        == .frame(.typeA(bare: [0x31, 0x02, 0xBF])))
  }

  @Test func tagTakenAway() {
    let field = VirtualField()
    let tag = VirtualTag.ntag213()
    field.place(tag)
    field.setPower(true)
    #expect(Self.inventory(field) == [tag.identifier])
    field.remove(tag)
    #expect(field.transmit(Self.wakeUp) == .silence)
    field.place(tag)
    #expect(Self.inventory(field) == [tag.identifier])
  }
}
