import SwiftNFCCore
import Testing

@testable import VirtualNFC

/// The virtual card says, byte for byte, what a real EV1 has said to the same commands.
@Suite struct VirtualRecordingTests {
  @Test func wholeRecording() throws {
    let exchanges = try EV1Recording.exchanges.split(separator: "\n").map { line in
      try line.split(separator: " ").map { try #require([UInt8](hexadecimal: $0)) }
    }
    // The card's challenges, decrypted with the keys that the recording names.
    let model = DESFireModel(
      name: "recorded", hardwareVersion: [0x04, 0x01, 0x01, 0x01, 0x00, 0x1A, 0x05],
      softwareVersion: [0x04, 0x01, 0x01, 0x01, 0x04, 0x1A, 0x05], ats: DESFireModel.ev1.ats,
      freeMemory: 7936, defaultUID: [0x04, 0x06, 0x3F, 0x72, 0x63, 0x34, 0x80], signature: nil,
      layout: .free(ndefFileSize: 0x1000),
      production: [0xBA, 0x45, 0x19, 0xE3, 0x20, 0x49, 0x13])
    var picc = DESFirePICC(
      model: model, uid: model.defaultUID, signature: nil, applications: [],
      challenges: try Self.challenges(exchanges))
    for exchange in exchanges {
      try #require(exchange.count == 2)
      let command = exchange[0]
      let answer = picc.receive(code: command[0], parameters: Array(command.dropFirst()))
      #expect(
        [answer.status.code] + answer.data == exchange[1], "\(command.hexadecimal)")
    }
  }

  /// Keys of the recording, in the order of its authentications.
  private static let keys: [(DESFireKey.Kind, String)] = {
    let zero = [String](repeating: "00", count: 24)
    func parts(_ kind: DESFireKey.Kind, _ first: String, _ second: String) -> [(
      DESFireKey.Kind, String
    )] {
      let factory = zero.prefix(kind.keySize).joined()
      return [(kind, factory), (kind, first), (kind, second), (kind, factory), (kind, second)]
    }
    let des = (DESFireKey.Kind.des, zero.prefix(16).joined())
    return [des, des]
      + parts(.des, "00102031405060708090A0B0B0A09080", "10182029303840485058606870788088")
      + parts(
        .tripleDES, "00102031405060708090A0B0B0A090807060504030201000",
        "101820293038404850586068707880889098A0A8B0B8C0C8")
      + parts(.aes, "00102030405060708090A0B0B0A09080", "10182028303840485058606870788088")
      + [des]
  }()

  private static func challenges(_ exchanges: [[[UInt8]]]) throws -> [[UInt8]] {
    let sent = exchanges.filter { [0x1A, 0xAA].contains($0[0][0]) }
      .map { Array($0[1].dropFirst()) }
    try #require(sent.count == keys.count)
    return try zip(sent, keys).map { sent, key in
      let cipher = DESFireKey(key.0, bytes: try #require([UInt8](hexadecimal: key.1))).cipher
      return cipher.decrypt(sent, vector: cipher.zeroVector)
    }
  }
}
