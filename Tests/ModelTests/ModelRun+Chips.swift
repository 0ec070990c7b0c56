@testable import SwiftNFCCore
@testable import VirtualNFC

/// What the model check does with chips of one kind only.
extension ModelRun {
  // MARK: Raw commands

  /// Writes a byte by a command of the tag's own; `false` where the model knows none.
  func write(_ bytes: [UInt8], at address: Int) async throws -> Bool {
    let memory = tag.memory
    func unit(_ size: Int) -> [UInt8] {
      let first = address / size * size
      var data = Array(memory[first..<first + size])
      data.replaceSubrange((address - first)..<(address - first + bytes.count), with: bytes)
      return data
    }
    switch found {
    case .miFare(let tag):
      if let ultralight = tag.ultralight {
        guard address / 4 < 0xE0 else { return false }
        // The program may have left another sector selected.
        if self.tag.name == "ntag-i2c-2k" { try await ultralight.selectSector(0) }
        try await ultralight.writePage(address / 4, unit(4))
        return true
      }
      guard let classic = tag.classic else { return false }
      let block = address / 16
      try await classic.authenticate(block: block, with: .factory, as: .b)
      try await classic.writeBlock(block, unit(16))
      return true
    case .iso15693(let tag):
      let size = try await tag.systemInformation().blockSize ?? 4
      try await tag.writeBlocks(at: address / size, unit(size))
      return true
    case .feliCa(let tag):
      try await tag.writeBlocks(service: 0x0009, at: address / 16, unit(16))
      return true
    case .other(let tag):
      guard address < 104 else { return false }
      _ = try await tag.transceive([0x53, UInt8(address), bytes[0]])
      return true
    case .iso7816: return false
    }
  }

  /// Somewhere in the memory that a lock closes; `nil` where the model does not know it.
  mutating func lockedAddress() -> Int? {
    let memory = tag.memory
    switch found {
    case .miFare(let tag):
      if tag.ultralight != nil {
        let end = min(16 + Int(memory[14]) * 8, 0xE0 * 4)
        return Int.random(in: 16..<end, using: &random)
      }
      guard tag.classic != nil else { return nil }
      let block = [4, 5, 6, 8, 9].randomElement(using: &random) ?? 4
      return block * 16
    case .iso15693: return Int.random(in: 0..<64, using: &random)
    case .feliCa:
      // A plain type 3 tag is locked by its attribute block alone.
      guard self.tag.name.hasPrefix("felica-lite") else { return nil }
      return Int.random(in: 0..<13 * 16, using: &random)
    case .other: return Int.random(in: 12..<104, using: &random)
    case .iso7816: return nil
    }
  }

  // MARK: Keys and passwords

  private static let keyPages = 176..<192

  /// The key of an Ultralight C is the old or the new one whenever the task is cancelled.
  mutating func changeKey(_ before: [UInt8]) async throws {
    guard let ultralight = found.miFareTag?.ultralight, tag.name == "ultralight-c" else { return }
    let new = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
    let moment = Int.random(in: 0..<10, using: &random)
    let isCancelled = Bool.random(using: &random)
    hand.plan(
      isCancelled
        ? .cancel(moment, isSent: Bool.random(using: &random)) : refusal(moment))
    let result = await Task { try await ultralight.changeKey(new) }.result
    hand.plan(nil)
    let now = Array(tag.memory[Self.keyPages])
    if now == UltralightCAuthentication.stored(new) {
      key = new
    } else if now != Array(before[Self.keyPages]) {
      guard !isCancelled else {
        throw problem("a cancelled change has left a key that nobody knows, exchange \(moment)")
      }
      guard case .failure(let error as NFCError) = result, error.recovery != nil else {
        throw problem("a key that nobody knows was left, and nothing says so: \(result)")
      }
      // Nobody can go on with it.
      tag.memory = before
    }
    try await connect()
  }

  /// A protection is set, torn at random, and taken away again.
  mutating func protect() async throws {
    guard let ultralight = found.miFareTag?.ultralight else { return }
    switch try await ultralight.secret() {
    case .password: try await protectByPassword(ultralight)
    case .tripleDES: try await protectByKey(ultralight)
    // Ultralight AES is protected by a module that this check has not.
    case .aes, nil: return
    }
  }

  /// Nothing, a tag that leaves, or a refusal.
  private mutating func disturbance(_ end: Int) -> AirDriver.Event? {
    let moment = Int.random(in: 0..<end, using: &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return nil
    case 1: return .tear(moment)
    default: return refusal(moment)
    }
  }

  private mutating func protectByPassword(_ ultralight: UltralightCommands) async throws {
    let password: [UInt8] = [0x0A, 0x0B, 0x0C, 0x0D]
    let protection = try UltralightProtection(
      password: password, passwordAcknowledge: [1, 2],
      firstPage: Int.random(in: 4...15, using: &random),
      protectsReading: Bool.random(using: &random))
    hand.plan(disturbance(12))
    if let plan = try? await ultralight.protectionPlan(protection) {
      _ = try? await ultralight.perform(plan, accepting: [.forgetsPassword])
    }
    for known in [nil, password] {
      try await connect()
      guard let commands = found.miFareTag?.ultralight,
        let plan = try? await commands.protectionPlan(
          nil as UltralightProtection?, password: known)
      else { continue }
      _ = try? await commands.perform(plan)
    }
    try await connect()
    guard try await found.miFareTag?.ultralight?.dump().protectionState?.firstPage == nil else {
      throw problem("the tag is protected by a password that nobody knows")
    }
    try await connect()
  }

  private mutating func protectByKey(_ ultralight: UltralightCommands) async throws {
    let new = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
    let protection = try UltralightCProtection(
      key: new, firstPage: Int.random(in: 4...42, using: &random),
      protectsReading: Bool.random(using: &random))
    hand.plan(disturbance(16))
    if let plan = try? await ultralight.protectionPlan(protection, key: nil) {
      _ = try? await ultralight.perform(plan, accepting: [.forgetsKey])
    }
    for known in [nil, key, new] {
      try await connect()
      guard let commands = found.miFareTag?.ultralight,
        let plan = try? await commands.protectionPlan(nil as UltralightCProtection?, key: known)
      else { continue }
      _ = try? await commands.perform(plan)
    }
    guard tag.memory[168] >= 0x30 else {
      throw problem("the tag is protected by a key that nobody knows")
    }
    if Array(tag.memory[Self.keyPages]) == UltralightCAuthentication.stored(new) { key = new }
    try await connect()
  }

  // MARK: Restoring

  /// A dump with every lock bit set, and sector trailers that no key could change again, is restored without asking
  /// for those.
  mutating func restore() async throws {
    guard let card = found.miFareTag else { return }
    var image = tag.memory
    do {
      if let ultralight = card.ultralight {
        image.replaceSubrange(10..<12, with: [0xFF, 0xFF])
        for index in 12..<16 { image[index] |= 0xF0 }
        let data = 40..<min(60, image.count)
        for index in data { image[index] = UInt8.random(in: 0...255, using: &random) }
        try await ultralight.perform(try await ultralight.restorePlan(image))
      } else if let classic = card.classic {
        // Trailer conditions 000, 100 and 110, data 010: MF1S50 data sheet, tables 7 and 8.
        let conditions: [[UInt8]] = [
          [0x8F, 0x0F, 0x07], [0x87, 0x8F, 0x07], [0x07, 0x8F, 0x0F],
        ]
        for sector in 1..<5 {
          let first = sector * 64 + 54
          image.replaceSubrange(
            first..<first + 3, with: conditions.randomElement(using: &random) ?? [])
          image.replaceSubrange(
            sector * 64 + 48..<sector * 64 + 54, with: [UInt8](repeating: 0xFF, count: 6))
          image.replaceSubrange(
            sector * 64 + 58..<sector * 64 + 64, with: [UInt8](repeating: 0xFF, count: 6))
        }
        let plan = try await classic.restorePlan(image)
        try await classic.perform(plan, accepting: Set(plan.effects).subtracting([.locksMemory]))
      }
    } catch is NFCError {
      // What cannot be read or written is not restored.
    }
    try await learn()
  }
}

extension DetectedTag {
  var miFareTag: (any MiFareTag)? {
    if case .miFare(let tag) = self { tag } else { nil }
  }
}
