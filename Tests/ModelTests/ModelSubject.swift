@testable import SwiftNFCCore
@testable import VirtualNFC

/// A tag that the model check runs on.
struct ModelSubject: Sendable, CustomStringConvertible {
  let description: String
  let technology: TagTechnology
  /// Bytes that stand beside the message, somewhere in the memory, and that nothing but a wiping format may remove.
  let beside: [UInt8]
  /// Addresses that no operation of ours may change.
  let untouchable: [Range<Int>]
  /// Whether somebody else can write while the tag is connected.
  let hasWiredSide: Bool
  /// What a lock, and what formatting a blank one, makes final.
  let lockKinds: Set<IrreversibleChange.Kind>
  /// Nothing for a kind that cannot be locked.
  var canBeLocked: Bool { !lockKinds.isEmpty }
  /// Where the TLVs begin, for a kind that has some.
  let area: Int?
  let make: @Sendable () -> VirtualTag

  init(
    _ description: String, _ technology: TagTechnology,
    lock lockKinds: Set<IrreversibleChange.Kind>, area: Int? = nil, content: String? = nil,
    beside: [UInt8] = [], untouchable: [Range<Int>] = [], hasWiredSide: Bool = false,
    patches: [Int: [UInt8]] = [:], _ make: @escaping @Sendable () -> VirtualTag
  ) {
    self.description = description
    self.technology = technology
    self.lockKinds = lockKinds
    self.area = area
    self.beside = beside
    self.untouchable = untouchable
    self.hasWiredSide = hasWiredSide
    self.make = {
      let tag = make()
      var memory = tag.memory
      var parts = patches
      if let area, let content { parts[area] = [UInt8](hexadecimal: content) ?? [] }
      for (address, bytes) in parts {
        memory.replaceSubrange(address..<address + bytes.count, with: bytes)
      }
      if !parts.isEmpty { tag.memory = memory }
      return tag
    }
  }
}

extension ModelSubject {
  private static let link = "0309 D101055504612E6265"
  private static let foreign = "FD02AABB"
  private static let foreignBytes: [UInt8] = [0xFD, 0x02, 0xAA, 0xBB]
  private static let adafruit = "0103A01044 \(link) FE"
  private static let lock2: Set<IrreversibleChange.Kind> = [.lockBits, .oneTimeBits]

  static let all = type2 + type1 + type3 + type4 + type5 + classic

  private static func type2(
    _ name: String, content: String? = nil, beside: [UInt8] = [], untouchable: [Range<Int>] = [],
    hasWiredSide: Bool = false, patches: [Int: [UInt8]] = [:],
    _ make: @escaping @Sendable () -> VirtualTag
  ) -> ModelSubject {
    ModelSubject(
      name, .iso14443a, lock: lock2, area: 16, content: content, beside: beside,
      untouchable: untouchable, hasWiredSide: hasWiredSide, patches: patches, make)
  }

  private static let type2 = [
    type2("Ultralight") { .ultralight() },
    type2("blank Ultralight") { .ultralight(formatted: false) },
    // The counter; AUTH0, AUTH1 and the key are what a protection changes.
    type2("Ultralight C", untouchable: [164..<168]) { .ultralightC() },
    type2("Ultralight C without a lock control TLV", content: "\(link) FE") { .ultralightC() },
    type2("Ultralight EV1") { .ultralightEV1() },
    type2("blank Ultralight EV1, 128 bytes") { .ultralightEV1With128Bytes(formatted: false) },
    type2("NTAG203", untouchable: [164..<168]) { .ntag203() },
    type2("NTAG210") { .ntag210() },
    type2("NTAG212, foreign TLV", content: "\(link) \(foreign) FE", beside: foreignBytes) {
      .ntag212()
    },
    type2("NTAG213") { .ntag213() },
    type2("NTAG213 by Adafruit", content: adafruit) { .ntag213() },
    type2("NTAG213 without a lock control TLV", content: "\(link) FE") { .ntag213() },
    type2("NTAG213, container read-only", patches: [15: [0x0F]]) { .ntag213() },
    type2("NTAG215 by Adafruit", content: adafruit) { .ntag215() },
    type2("NTAG215, foreign TLV", content: "\(foreign) \(link) FE", beside: foreignBytes) {
      .ntag215()
    },
    type2("NTAG216") { .ntag216() },
    type2("NTAG216, lock begun", patches: [0xE2 * 4: [0xFF, 0x3F, 0x7F]]) { .ntag216() },
    type2("NTAG I2C 1K", hasWiredSide: true) { .ntagI2C1K() },
    type2("NTAG I2C 2K", hasWiredSide: true) { .ntagI2C2K() },
    // Sector 1 looks like the beginning of a formatted sector 0.
    type2(
      "NTAG I2C 2K, E1 10 in sector 1", hasWiredSide: true,
      patches: [1024 + 12: [0xE1, 0x10, 0x6D, 0x00, 0x03, 0x00, 0xFE]]
    ) { .ntagI2C2K() },
  ]

  /// Tags that are sold have the lock bit of their lock bits set, and cannot be locked; in LOCK-1 that is bit 6.
  private static let type1 = [
    ModelSubject("Topaz 96 as it is sold", .jewel, lock: [], area: 12) { .topaz96() },
    ModelSubject("Topaz 96", .jewel, lock: [.lockBits], area: 12, patches: [0x71: [0x20]]) {
      .topaz96()
    },
    ModelSubject(
      "blank Topaz 96", .jewel, lock: [.lockBits], area: 12, patches: [0x71: [0x20]]
    ) { .topaz96(formatted: false) },
    ModelSubject("Topaz 512", .jewel, lock: [.lockBits], area: 22, patches: [0x71: [0xA0]]) {
      .topaz512()
    },
    ModelSubject(
      "Topaz 512, foreign TLV", .jewel, lock: [], area: 22, content: "\(link) \(foreign) FE",
      beside: foreignBytes
    ) { .topaz512() },
  ]

  private static let type3 = [
    ModelSubject("FeliCa Lite", .feliCa, lock: [.memoryConfiguration]) { .feliCaLite() },
    ModelSubject("FeliCa Lite-S", .feliCa, lock: [.memoryConfiguration]) { .feliCaLiteS() },
    ModelSubject("blank FeliCa Lite-S", .feliCa, lock: [.memoryConfiguration]) {
      .feliCaLiteS(formatted: false)
    },
    ModelSubject("Type 3 tag", .feliCa, lock: [], hasWiredSide: true) { .type3() },
  ]

  private static let type4 = [
    ModelSubject("Type 4 tag", .iso14443a, lock: [], hasWiredSide: true) { .type4() },
    ModelSubject("DESFire EV1", .iso14443a, lock: []) { .desfire() },
    ModelSubject("blank DESFire EV1", .iso14443a, lock: [.accessRights]) {
      .desfire(formatted: false)
    },
  ]

  private static func type5(
    _ name: String, area: Int = 4, content: String? = nil, beside: [UInt8] = [],
    untouchable: [Range<Int>] = [], hasWiredSide: Bool = false, canBeLocked: Bool = true,
    _ make: @escaping @Sendable () -> VirtualTag
  ) -> ModelSubject {
    ModelSubject(
      name, .iso15693, lock: canBeLocked ? [.blockLock] : [], area: area, content: content,
      beside: beside, untouchable: untouchable, hasWiredSide: hasWiredSide, make)
  }

  private static let type5 = [
    type5("ICODE SLIX") { .icodeSLIX() },
    // The counter is block 79.
    type5("ICODE SLIX2", untouchable: [316..<320]) { .icodeSLIX2() },
    type5("blank ICODE SLIX2", untouchable: [316..<320]) { .icodeSLIX2(formatted: false) },
    type5(
      "ICODE SLIX2, foreign TLV", content: "\(link) \(foreign) FE", beside: foreignBytes,
      untouchable: [316..<320]
    ) { .icodeSLIX2() },
    type5("ST25DV04K", hasWiredSide: true, canBeLocked: false) { .st25dv04K() },
    type5("MB89R118") { .mb89r118() },
  ]

  private static let classic = [
    ModelSubject("MIFARE Classic Mini", .iso14443a, lock: [.accessBits], area: 64) {
      .classicMini()
    },
    ModelSubject("blank MIFARE Classic Mini", .iso14443a, lock: [.accessBits], area: 64) {
      .classicMini(formatted: false)
    },
    ModelSubject(
      "MIFARE Classic 1K, foreign TLV", .iso14443a, lock: [.accessBits], area: 64,
      content: "\(link) \(foreign) FE", beside: foreignBytes
    ) { .classic1K() },
  ]
}
