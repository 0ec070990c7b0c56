import SwiftNFCCore
import Testing

@testable import VirtualNFC

/// Tests the communication between chip and tags: retries, time-outs, limits, waking, and exchanges by
/// registers.
@Suite struct PN532ExchangeTests {
  private static let list = "4A0100"
  private static let select = "400100A4040007D276000085010100"

  private func fault(_ effect: Fault.Effect, at exchange: Int) -> [Fault] {
    [Fault(effect, at: .exchange(exchange))]
  }

  // MARK: Retries, 7.3.1 item 04

  @Test(arguments: [Fault.Effect.frameLost, .answerLost, .answerBroken], [UInt8(0), 1, 2])
  func blocksAreTriedAgainAsOftenAsTheHostSays(_ loss: Fault.Effect, _ retries: UInt8) {
    var bench = PN532Bench(.type4())
    #expect(bench.send(Self.list)?.hasPrefix("4B01") == true)
    #expect(bench.send("3204" + [retries].hexadecimal) == "33")
    bench.chip.faults.faults = fault(loss, at: 0)
    bench.air.clear()
    let answer = bench.send(Self.select)
    if retries == 0 {
      let isBroken = if case .answerBroken = loss { true } else { false }
      #expect(answer == (isBroken ? "4102" : "4101"))
      #expect(bench.air.sent.count == 1)
    } else {
      #expect(answer == "41009000")
      // R(NAK), after which a card that has not received the block reports so.
      #expect(bench.air.sent.dropFirst().first?.hasPrefix("B2") == true)
    }
  }

  @Test func otherExchangesAreTriedAgainToo() {
    var bench = PN532Bench(.ntag213())
    #expect(bench.send(Self.list)?.hasPrefix("4B01") == true)
    bench.chip.faults.faults = fault(.frameLost, at: 0)
    #expect(bench.send("423000") == "4301")
    #expect(bench.send("320401") == "33")
    bench.chip.faults.faults = fault(.frameLost, at: 0)
    #expect(bench.send("423000")?.hasPrefix("4300") == true)
  }

  // MARK: Time-outs, 7.3.1 item 02

  @Test func anAnswerThatComesTooLateIsIgnored() {
    var bench = PN532Bench(.suica(), .ntag213())
    #expect(bench.send("4A0101" + "00FFFF0100")?.hasPrefix("4B01") == true)
    let read = "06" + "01010612B41C7D2A" + "010F09018000"
    #expect(bench.send("4210" + read)?.hasPrefix("4300") == true)
    // 0.4 ms.
    #expect(bench.send("3202000B03") == "33")
    #expect(bench.send("4210" + read) == "4301")
    #expect(bench.send(Self.list)?.hasPrefix("4B01") == true)
    #expect(bench.send("423000")?.hasPrefix("4300") == true)
    // The page is written nevertheless.
    #expect(bench.send("42A20401020304") == "4301")
    #expect(bench.field.tags.last?.memory[16..<20].elementsEqual([1, 2, 3, 4]) == true)
    // Without a time-out, only the host ends it.
    #expect(bench.send("3202000B00") == "33")
    bench.field.removeAll()
    #expect(bench.send("423000") == "pending")
    #expect(bench.send("3202000B11") == nil)
  }

  // MARK: Limits, 6.2.1.2

  @Test func noAnswerIsLongerThanAFrame() {
    var bench = PN532Bench(.ntag216())
    #expect(bench.send(Self.list)?.hasPrefix("4B01") == true)
    // 65 pages fit, 66 do not, and without their check bytes taken off 65 do. Each byte is two digits, and two bytes
    // of command and status come before the pages.
    #expect(bench.send("423A0040")?.count == 524)
    #expect(bench.send("423A0041") == "4307")
    #expect(bench.send("423A00E6") == "4307")
    #expect(bench.send("08630300") == "09")
    #expect(bench.send("423A0040")?.count == 528)
  }

  // MARK: Waking, 7.3.10 and 7.3.12

  @Test(arguments: ["", "5401"]) func aTypeBCardIsWokenAfterInDeselect(_ command: String) {
    let card = VirtualTag.type4B()
    var bench = PN532Bench(card)
    #expect(bench.send("4A010300")?.hasPrefix("4B01") == true)
    #expect(bench.send("4401") == "4500")
    bench.air.clear()
    if !command.isEmpty { #expect(bench.send(command) == "5500") }
    #expect(bench.send(Self.select) == "41009000")
    // WUPB, then ATTRIB.
    #expect(bench.air.sent.first?.hasPrefix("050008") == true)
    #expect(bench.air.sent.dropFirst().first?.hasPrefix("1D") == true)
    // A tag is removed, and replaced with another one.
    #expect(bench.send("4401") == "4500")
    bench.field.removeAll()
    #expect(bench.send("5401") == "552B")
    bench.field.place(.type4B(pupi: [1, 2, 3, 9]))
    #expect(bench.send("5401") == "552A")
  }

  @Test func twoFeliCaTagsAndTwoOfTypeB() {
    var bench = PN532Bench(.suica(), .feliCaLiteS())
    // There are sixteen slots, drawn again each time.
    let found = (0..<20).compactMap { _ in bench.send("4A0201" + "00FFFF010F") }
    #expect(found.contains { $0.hasPrefix("4B02") })
    var other = PN532Bench(.type4B(), .type4B(pupi: [1, 2, 3, 9]))
    #expect(other.send("4A020300")?.hasPrefix("4B02") == true)
    #expect(other.send(Self.select) == "41009000")
    #expect(
      other.send(Self.select.replacing("4001", with: "4002", maxReplacements: 1)) == "41009000")
  }

  /// A search for a UID with room for two targets: only this tag, or another one too.
  @Test(arguments: [false, true]) func aNamedTagAndAnother(_ listsBoth: Bool) throws {
    var model = VirtualPN532()
    model.listsSecondBesideUID = listsBoth
    let uid: [UInt8] = [0x04, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66]
    var bench = PN532Bench(.ntag215(), .ntag213(uid: uid), model: model)
    let found = bench.send("4A0200" + "88041122" + "33445566")
    let answer = try #require(found)
    #expect(answer.hasPrefix(listsBoth ? "4B02" : "4B01"))
    #expect(answer.dropFirst(4).hasPrefix("010044000704112233445566"))
  }

  @Test(arguments: [0, 3]) func aHaltedTagIsFoundAgain(_ count: Int) {
    var model = VirtualPN532()
    model.haltedTagsFound = count
    var bench = PN532Bench(.ntag213(), model: model)
    #expect(bench.send(Self.list)?.hasPrefix("4B01") == true)
    var times = 0
    while bench.send("4400") == "4500", bench.send(Self.list) != "4B00", times < 10 { times += 1 }
    #expect(times == count)
  }

  // MARK: Rates, 7.3.7

  @Test func ratesAreNegotiated() {
    var bench = PN532Bench(.ntag213())
    #expect(bench.send(Self.list)?.hasPrefix("4B01") == true)
    #expect(bench.send("4E010000") == "4F00")
    #expect(bench.send("4E010101") == "4F26")
    var card = PN532Bench(.type4())
    #expect(card.send(Self.list)?.hasPrefix("4B01") == true)
    card.air.clear()
    // Its ATS contains no higher rate. MxRtyPSL is 1, so that it is requested twice.
    #expect(card.send("3205000102") == "33")
    #expect(card.send("4E010202") == "4F01")
    #expect(card.air.sent.map { $0.prefix(6) } == ["D0110A", "D0110A"])
    // DESFire's does.
    var fast = PN532Bench(VirtualTag(DESFire()))
    #expect(fast.send(Self.list)?.hasPrefix("4B01") == true)
    #expect(fast.send("4E010202") == "4F00")
    #expect(fast.send("400160")?.hasPrefix("4100") == true)
    #expect(fast.chip.targets.first?.bitRate == 424)
  }

  // MARK: MIFARE Classic

  @Test(arguments: [false, true]) func silenceAtAnAuthentication(_ isWrongKey: Bool) {
    var model = VirtualPN532()
    model.silenceIsWrongKey = isWrongKey
    var bench = PN532Bench(.classic1K(), model: model)
    guard let found = bench.send(Self.list) else {
      Issue.record("no answer")
      return
    }
    let uid = found.suffix(8)
    #expect(bench.send("40016004" + "A0A1A2A3A4A6" + uid) == "4114")
    // The card is mute now.
    #expect(bench.send("40016004" + "FFFFFFFFFFFF" + uid) == (isWrongKey ? "4114" : "4101"))
  }

  // MARK: Exchanges by registers

  /// The register accesses of nfc-anticol -t for REQA, anticollision and SELECT: Transceive, flush,
  /// bytes, start.
  @Test func transceivingByRegisters() {
    var bench = PN532Bench(.ntag213(uid: [4, 0x51, 0x2C, 0x8A, 0x3D, 0x61, 0x80]))
    // The timer starts automatically after sending, prescaler 0, reload FFFF; no check bytes.
    #expect(bench.send("08631A80631B00631CFF631DFF630200630300") == "09")
    #expect(bench.send("0863310C633A80633926633D87") == "09")
    #expect(bench.send("06633A") == "0702")
    #expect(bench.send("06633963396339") == "07440000")
    // 86 µs, and five bits until the timer stops.
    guard let counter = bench.send("06631E631F").flatMap({ UInt16($0.dropFirst(2), radix: 16) })
    else {
      Issue.record("no counter")
      return
    }
    #expect((1_700...1_900).contains(0xFFFF - Int(counter)))
    #expect(bench.send("0863310C633A806339936339" + "20633D80") == "09")
    #expect(bench.send("06633A") == "0705")
    #expect(bench.send("06633963396339633963396339") == "0788" + "04512C" + "F1" + "00")
    bench.field.removeAll()
    #expect(bench.send("0863310C633A80633926633D87") == "09")
    #expect(bench.send("06633A631E631F") == "07000000")
  }

  // MARK: Diagnose, 7.2.1

  @Test func pollingTest() {
    var bench = PN532Bench(.suica())
    #expect(bench.send("000401") == "0100")
    bench.field.removeAll()
    #expect(bench.send("000402") == "0180")
    #expect(bench.send("000403") == nil)
  }
}
