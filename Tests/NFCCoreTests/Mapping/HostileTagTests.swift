import SwiftNFCSeededRandom
import Testing

@testable import SwiftNFCChipBook
@testable import SwiftNFCCore

/// Tags that answer anything at all: every procedure ends with a value or an error of ours.
@Suite struct HostileTagTests {
  private static let idm: [UInt8] = [0x01, 0x2E, 0x4C, 0xD8, 0x6A, 0x1F, 0x93, 0x05]

  @Test(arguments: [[0x12, 0xFC], [0x88, 0xB4], [0x00, 0x03]] as [[UInt8]])
  func type3(_ systemCode: [UInt8]) throws {
    let target = FeliCaTarget(
      idm: Self.idm, pmm: [UInt8](repeating: 0xFF, count: 8), systemCode: systemCode, bitRate: 212)
    let outcomes = try run(.feliCa(target), Self.feliCaAnswer) { Type3Mapping(target: target) }
    // Not all of them fail at the first command.
    #expect(outcomes.results > 20 && outcomes.errors > 20)
  }

  @Test(arguments: [nil, TagProduct("desfireEV1", name: "MIFARE DESFire EV1", maker: "NXP")])
  func type4(_ product: TagProduct?) throws {
    let target = ISO14443ATarget(
      uid: [4, 1, 2, 3, 4, 5, 6], atqa: [0x03, 0x44], sak: 0x20,
      ats: [0x75, 0x77, 0x81, 0x02, 0x80])
    let outcomes = try run(.iso14443a(target), Self.cardAnswer) { Type4Mapping(product: product) }
    #expect(outcomes.results > 20 && outcomes.errors > 20)
  }

  private func run<Mapping: NDEFMapping>(
    _ target: Target, _ answer: @escaping ([UInt8], inout SplitMix64) -> [UInt8],
    _ make: () -> Mapping
  ) throws -> (results: Int, errors: Int) {
    var results = 0
    var errors = 0
    for seed in 0..<400 {
      let driver = HostileDriver(SplitMix64(seed: UInt64(seed)), answer)
      let link = TagLink(driver: driver, target: target, operation: Reader.Operation())
      var mapping = make()
      for step in 0..<6 {
        driver.left = 300
        do {
          switch (seed + step) % 6 {
          case 0: _ = try mapping.status(link)
          case 1, 2: _ = try mapping.read(link)
          case 3: try mapping.checkedWrite([UInt8](repeating: 9, count: 40), verify: true, link)
          case 4: try mapping.format(wipe: false, link)
          default: try mapping.lock(link)
          }
          results += 1
        } catch is NFCError {
          // As the tag's handle does: nothing is believed after a failure.
          mapping = make()
          errors += 1
        }
      }
    }
    return (results, errors)
  }

  /// Right in form more often than not, so that the procedures get somewhere.
  private static func feliCaAnswer(_ command: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
    guard command.count > 1, Int.random(in: 0..<12, using: &random) > 0 else {
      return bytes(0...40, &random)
    }
    var answer = [command[1] &+ 1] + idm
    if command[1] == 0x00 { return [18] + answer + bytes(8...8, &random) }
    let flags: [UInt8] = [0, 0, 0, 0, 0, 0xFF, 1]
    answer += [
      flags.randomElement(using: &random) ?? 0,
      [0xA1, 0xA2, 0xA6, 0xA8, 0xB1].randomElement(using: &random) ?? 0,
    ]
    if command[1] == 0x06, command.count > 13 {
      let count = Int(command[13])
      answer.append(UInt8(count))
      var block = bytes(16...16, &random)
      block.replaceSubrange(0..<5, with: [0x10, UInt8.random(in: 0...15, using: &random), 2, 0, 8])
      block[11] = 0
      block[12] = 0
      let sum = block.prefix(14).reduce(0) { $0 + Int($1) }
      block[14] = UInt8(sum >> 8)
      block[15] = UInt8(sum & 0xFF)
      for _ in 0..<count { answer += block }
    }
    return [UInt8(answer.count + 1)] + answer
  }

  private static func cardAnswer(_ command: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
    let words: [[UInt8]] = [
      [0x90, 0], [0x90, 0], [0x90, 0], [0x90, 0], [0x90, 0], [0x90, 0], [0x91, 0], [0x91, 0xDE],
      [0x62, 0x82], [0x67, 0], [0x6C, 5], [0x61, 3], [0x6A, 0x82], [0x69, 0x82],
    ]
    let isNative = command.first == 0x90
    let word =
      isNative && Bool.random(using: &random)
      ? [0x91, 0] : words.randomElement(using: &random) ?? []
    guard Int.random(in: 0..<12, using: &random) > 0 else { return bytes(0...8, &random) }
    switch command.dropFirst().first {
    case 0xB0 where command.last == 0x0F:
      var container: [UInt8] = [
        0x00, 0x0F, 0x20, 0x00, 0xFB, 0x00, 0xF6, 0x04, 0x06, 0xE1, 0x04, 0x00, 0x80, 0x00, 0x00,
      ]
      container[Int.random(in: 0..<15, using: &random)] = UInt8.random(in: 0...8, using: &random)
      return container + word
    case 0xB0:
      return [0x00, UInt8.random(in: 0...90, using: &random)] + bytes(0...60, &random) + word
    default:
      return bytes(0...10, &random) + word
    }
  }

  private static func bytes(_ count: ClosedRange<Int>, _ random: inout SplitMix64) -> [UInt8] {
    (0..<Int.random(in: count, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random)
    }
  }
}

/// A reader whose tag answers as it likes, and falls silent after a while.
private final class HostileDriver: ReaderDriver {
  let name = "hostile"
  let connectionString = "hostile"
  let capabilities = ReaderCapabilities(
    technologies: [], bitRates: [:], maximumCommandLength: 262, maximumResponseLength: 262)
  let abort: @Sendable () -> Void = {}
  var left = 0
  private var random: SplitMix64
  private let answer: ([UInt8], inout SplitMix64) -> [UInt8]

  init(_ random: SplitMix64, _ answer: @escaping ([UInt8], inout SplitMix64) -> [UInt8]) {
    self.random = random
    self.answer = answer
  }

  func begin() {}
  func end() {}
  func resetField() {}
  func list(_ technology: TagTechnology) -> [Target] { [] }
  func select(_ target: Target) {}
  func close() {}

  func exchange(_ command: [UInt8], framing: Framing, timeout: Duration) throws -> [UInt8] {
    left -= 1
    guard left > 0 else {
      throw NFCError(.tagResponseError, "the tag has not answered", cause: .noAnswer)
    }
    return answer(command, &random)
  }

  func authenticate(
    block: UInt8, keyType: MiFareClassicKeyType, key: [UInt8], uid: [UInt8]
  ) throws {
    throw NFCError(.authenticationFailed, "no key opens it")
  }
}
