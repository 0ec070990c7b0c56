import SwiftNFCCore

/// The secrets in commands of FeliCa.
extension RecordingSecrets {
  private enum FeliCa {
    /// FeliCa Card User's Manual, excerpted edition, 4.2; the answer's code is one more.
    static let read: UInt8 = 0x06
    static let write: UInt8 = 0x08
    /// Authentication1 and 2, and those of AES.
    static let authentications: Set<UInt8> = [0x10, 0x12, 0x40, 0x42]
    /// Blocks of FeliCa Lite: challenge, MAC, card key, MAC with a counter (FeliCa Lite-S User's
    /// Manual, 3.3).
    static let secretBlocks = Set(FeliCaLiteLayout.hiddenBlocks)
      .union([FeliCaLiteLayout.mac, FeliCaLiteLayout.macA])
    static let identifierSize = 8
    /// The bit in a block list element for two bytes instead of three (4.2.2).
    static let shortElement: UInt8 = 0x80
  }

  /// LEN, code, IDm, services, block list, data.
  mutating func secrets(inFeliCa command: [UInt8]) -> [Range<Int>] {
    let start = command.first.map { Int($0) == command.count } ?? false ? 1 : 0
    let end = command.count
    let services = start + 1 + FeliCa.identifierSize
    guard services < end else { return [] }
    let code = command[start]
    if FeliCa.authentications.contains(code) {
      expectation = .everything
      return [services..<end]
    }
    guard code == FeliCa.read || code == FeliCa.write else { return [] }
    var position = services + 1 + 2 * Int(command[services])
    guard position < end else { return [] }
    let count = Int(command[position])
    position += 1
    var isSecret: [Bool] = []
    for _ in 0..<count {
      guard position + 1 < end else { return [] }
      isSecret.append(FeliCa.secretBlocks.contains(command[position + 1]))
      position += command[position] & FeliCa.shortElement != 0 ? 2 : 3
    }
    guard isSecret.contains(true) else { return [] }
    guard code == FeliCa.write else {
      expectation = .feliCaBlocks(isSecret)
      return []
    }
    return Self.ranges(isSecret, from: position, to: end)
  }

  /// LEN, code, IDm, two status flags, number of blocks, data.
  static func secrets(inBlocks answer: [UInt8], _ isSecret: [Bool]) -> [Range<Int>] {
    let start = answer.first.map { Int($0) == answer.count } ?? false ? 1 : 0
    let data = start + 1 + FeliCa.identifierSize + 2 + 1
    return data < answer.count ? ranges(isSecret, from: data, to: answer.count) : []
  }

  private static func ranges(_ isSecret: [Bool], from data: Int, to end: Int) -> [Range<Int>] {
    isSecret.indices.compactMap { index in
      let start = data + index * blockSize
      return isSecret[index] && start < end ? start..<min(start + blockSize, end) : nil
    }
  }
}
