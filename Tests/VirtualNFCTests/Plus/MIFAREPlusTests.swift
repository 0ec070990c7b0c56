import SwiftNFCSeededRandom
import SwiftNFCCore
import Testing

@testable import VirtualNFC

/// Tests MIFARE Plus with a recorded card, and the card's refusals.
@Suite struct MIFAREPlusTests {
  private static func bytes(_ text: String) -> [UInt8] { [UInt8](hexadecimal: text) ?? [] }
  private static let key = bytes("A0A1A2A3A4A5A6A7A0A1A2A3A4A5A6A7")

  /// Returns a card with the MAD sector of the recording.
  private static func recordedCard(_ challenge: String, _ identifier: String) -> MIFAREPlus {
    var card = MIFAREPlus(.s2K, key: key)
    card.blocks.replaceSubrange(
      0..<64,
      with: bytes(
        """
        04505D1AB76880084400020111000220 3000563D563C563C563C563C563C0000
        00000000000000000000000000000000 00000000000F0F078FC1000000000000
        """.filter { !$0.isWhitespace }))
    card.nextRandomNumbers = [bytes(challenge), bytes(identifier)]
    card.powerOn()
    return card
  }

  /// Proxmark3, traces/hf_mfp_mad_sl3.trace and hf_mfp_read_sc0_sl3.trace, without the bytes of ISO/IEC 14443-4; the
  /// card's random numbers are decrypted.
  @Test func recorded() {
    var card = Self.recordedCard("B4AA1F6F4570FE75ADF5FD57C3B34739", "460502A1")
    let exchanges = [
      ("70004000", "90F1AF605D441D5C1FD3019F3A3DA9F177"),
      (
        "72B6AD00EDEFEF0774DECDBF256124E5183CCB6822F955C5CFF7927C2415200EE4",
        "90F795C53CD91F3F3EB43AF7B7DBB2AE6882F4CE8EFC2E148114C6C555FA41E875"
      ),
      ("330000014424DAAEBD09E0C1", "9004505D1AB7688008440002011100022071EEC9660954ED84"),
      ("33010001308BB361486C3672", "903000563D563C563C563C563C563C000063A3AEB03BB3A816"),
      ("33020001E9069480623EB844", "90000000000000000000000000000000005664C2C36F10875E"),
      ("33030001137930395B6668C3", "9000000000000F0F078FC1000000000000F43401D487DA5D76"),
    ]
    for (command, answer) in exchanges {
      #expect(card.process(Self.bytes(command)).hexadecimal == answer, "\(command)")
    }
  }

  @Test func theOtherRecording() {
    var card = Self.recordedCard("088BD5DD3896E212D717A993C2D2B1A1", "3FD7F78A")
    let exchanges = [
      ("70004000", "90538A666C8751AEFE5FADFC7EEB12C3E1"),
      (
        "72B6AD00EDEFEF0774DECDBF256124E518E1BC30164191393EAFB531E18E880F84",
        "906616A9B094AAFBA889E480F78B2A53358151A80B12B963EB3549271FFE754EBC"
      ),
      ("330000012BFACDE398A04CD5", "9004505D1AB76880084400020111000220365C09B811A8D749"),
      ("33010001D9FE3B1D38D4C3D1", "903000563D563C563C563C563C563C0000E2DD057BDFEA345E"),
      ("33020001FCD5C4A4C9C667A2", "9000000000000000000000000000000000AE8F77FC7FC4A96C"),
      ("330300011A9CADB3BBB1A989", "9000000000000F0F078FC1000000000000C2CA7AB86ADA6CDA"),
    ]
    for (command, answer) in exchanges {
      #expect(card.process(Self.bytes(command)).hexadecimal == answer, "\(command)")
    }
    // The repeated command would need another MAC, and ends the session.
    #expect(card.process(Self.bytes("330300011A9CADB3BBB1A989")) == [0x08])
    #expect(card.process(Self.bytes("330300011A9CADB3BBB1A989")) == [0x06])
  }

  @Test(arguments: [
    ("", "0C"), ("33", "0C"), ("33000001", "0C"), ("330000010000000000000000", "06"),
    ("70004002AA", "0C"), ("70FF3F00", "0A"), ("72", "0B"), ("760040", "0B"), ("78", "90"),
    ("A8004000", "0B"), ("AA", "0B"), ("60", "0B"), ("B10000", "0C"), ("FF", "0B"),
  ])
  func refused(_ command: String, _ status: String) {
    var card = MIFAREPlus()
    card.powerOn()
    #expect(card.process(Self.bytes(command)).hexadecimal == status)
  }

  @Test func aWrongKeyOpensNothing() {
    var card = MIFAREPlus(key: Self.key)
    card.powerOn()
    #expect(card.process(Self.bytes("70004000")).count == 17)
    #expect(card.process([0x72] + [UInt8](repeating: 0, count: 32)) == [0x06])
    #expect(card.session == nil)
  }

  @Test func levelZero() {
    var card = MIFAREPlus(personalized: false)
    card.powerOn()
    #expect(card.process(Self.bytes("70004000")) == [0x0B])
    #expect(card.process([0xAA]) == [0x0F])
    for address in ["0090", "0190", "0390"] {
      #expect(card.process(Self.bytes("A8" + address) + Self.key) == [0x90])
    }
    #expect(card.process(Self.bytes("A80000") + Self.key) == [0x09])
    #expect(card.process(Self.bytes("A80400") + Self.key) == [0x90])
    #expect(card.process([0xAA]) == [0x90] && card.securityLevel == 0)
    card.powerOff()
    card.powerOn()
    #expect(card.securityLevel == 3 && Array(card.memory[64..<80]) == Self.key)
    #expect(card.process(Self.bytes("70009000")).count == 17)
  }

  /// Without ISO/IEC 14443-4, only the key of level 1 can be authenticated.
  @Test(
    arguments: [
      ("760490", 17), ("760390", nil), ("760040", nil), ("7604", nil), ("70049000", nil),
      ("72", nil), ("", nil),
    ] as [(String, Int?)])
  func levelOneBelowBlocks(_ command: String, _ count: Int?) {
    var card = MIFAREPlus(hasLevelOne: true)
    card.powerOn()
    #expect(card.securityLevel == 1)
    #expect(card.processBelowBlocks(Self.bytes(command))?.count == count)
  }

  /// With ISO/IEC 14443-4, the keys of the card can be authenticated by either command, and no other
  /// command is accepted.
  @Test(arguments: [
    ("70039000", 17), ("760390", 17), ("70049000", 17), ("70004000", 1), ("31040001", 1),
    ("A8040000", 1), ("AA", 1), ("78", 1),
  ])
  func levelOneInBlocks(_ command: String, _ count: Int) {
    var card = MIFAREPlus(hasLevelOne: true)
    card.powerOn()
    #expect(card.process(Self.bytes(command)).count == count)
    #expect(card.nextSecurityLevel == 1 && card.memory == MIFAREPlus(hasLevelOne: true).memory)
  }

  /// A challenge without an answer, or with a wrong one, does not switch the level.
  @Test func levelOneStaysWithoutTheKey() {
    var card = MIFAREPlus(hasLevelOne: true)
    card.powerOn()
    #expect(card.process(Self.bytes("70039000")).count == 17)
    #expect(card.process([0x72] + [UInt8](repeating: 0, count: 32)) == [0x06])
    card.powerOff()
    card.powerOn()
    #expect(card.securityLevel == 1)
  }

  /// From level 0 to level 1, in which SAK is that of a Classic.
  @Test func levelZeroToOne() {
    var card = MIFAREPlus(.x4K, personalized: false, hasLevelOne: true)
    card.powerOn()
    for address in ["0090", "0190", "0390"] {
      #expect(card.process(Self.bytes("A8" + address) + Self.key) == [0x90])
    }
    #expect(card.process([0xAA]) == [0x90])
    card.powerOff()
    card.powerOn()
    #expect(card.securityLevel == 1 && card.interface.typeA?.sak == 0x18)
    #expect(card.processBelowBlocks(Self.bytes("760490"))?.count == 17)
  }

  @Test(arguments: [1, 2, 3] as [UInt8]) func anyCommands(_ seed: UInt8) {
    var card = MIFAREPlus()
    card.powerOn()
    var generator = SplitMix64(seed: [seed, 0x50])
    let codes: [UInt8] = [
      0x70, 0x72, 0x76, 0x78, 0x30, 0x31, 0x33, 0x37, 0xA1, 0xA3, 0xB1, 0xB7, 0xC3,
    ]
    for _ in 0..<2000 {
      let random = generator.bytes(3)
      let command = [codes[Int(random[0]) % codes.count]] + generator.bytes(Int(random[1]) % 60)
      #expect(!card.process(command).isEmpty)
    }
    #expect(card.memory == MIFAREPlus().memory)
  }
}
