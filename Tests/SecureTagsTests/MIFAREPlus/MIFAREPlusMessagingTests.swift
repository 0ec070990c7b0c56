import SwiftNFCCore
import Synchronization
import Testing

@testable import SecureTags

/// Tests secure messaging of MIFARE Plus with recordings of a card, and the errors for wrong answers.
@Suite struct MIFAREPlusMessagingTests {
  /// Proxmark3, traces/hf_mfp_mad_sl3.trace and hf_mfp_read_sc0_sl3.trace, without the bytes of ISO/IEC
  /// 14443-4. The key is the public one for the MIFARE application directory.
  private static let recordings = [
    """
    70004000 90F1AF605D441D5C1FD3019F3A3DA9F177
    72B6AD00EDEFEF0774DECDBF256124E5183CCB6822F955C5CFF7927C2415200EE4 90F795C53CD91F3F3EB43AF7B7DBB2AE6882F4CE8EFC2E148114C6C555FA41E875
    330000014424DAAEBD09E0C1 9004505D1AB7688008440002011100022071EEC9660954ED84
    33010001308BB361486C3672 903000563D563C563C563C563C563C000063A3AEB03BB3A816
    33020001E9069480623EB844 90000000000000000000000000000000005664C2C36F10875E
    33030001137930395B6668C3 9000000000000F0F078FC1000000000000F43401D487DA5D76
    """,
    """
    70004000 90538A666C8751AEFE5FADFC7EEB12C3E1
    72B6AD00EDEFEF0774DECDBF256124E518E1BC30164191393EAFB531E18E880F84 906616A9B094AAFBA889E480F78B2A53358151A80B12B963EB3549271FFE754EBC
    330000012BFACDE398A04CD5 9004505D1AB76880084400020111000220365C09B811A8D749
    33010001D9FE3B1D38D4C3D1 903000563D563C563C563C563C563C0000E2DD057BDFEA345E
    33020001FCD5C4A4C9C667A2 9000000000000000000000000000000000AE8F77FC7FC4A96C
    330300011A9CADB3BBB1A989 9000000000000F0F078FC1000000000000C2CA7AB86ADA6CDA
    """,
  ]
  private static let key = "A0A1A2A3A4A5A6A7A0A1A2A3A4A5A6A7"

  /// A card that returns the answers of a recording and collects the commands that differ from it.
  private final class Card: Sendable {
    private let state: Mutex<(exchanges: ArraySlice<([UInt8], [UInt8])>, deviations: [String])>

    init(_ recording: String, change: (Int, [UInt8]) -> [UInt8] = { $1 }) throws {
      let exchanges = try recording.split(separator: "\n").enumerated().map { index, line in
        let parts = line.split(separator: " ").map(String.init)
        return (try hex(parts[0]), change(index, try hex(parts[1])))
      }
      state = Mutex((exchanges[...], []))
    }

    var deviations: [String] { state.withLock { $0.deviations } }

    func procedure() -> MIFAREPlusProcedure {
      MIFAREPlusProcedure(
        send: { command in
          try self.state.withLock { state in
            guard let next = state.exchanges.popFirst(), next.0 == command else {
              state.deviations.append(command.hexadecimal)
              throw NFCError(.tagResponseError, "not in the recording")
            }
            return next.1
          }
        }, session: nil,
        // The challenge that the recording's program always used.
        random: { _ in (0..<16).map { UInt8($0) } })
    }
  }

  @Test(arguments: recordings) func recorded(_ recording: String) throws {
    let card = try Card(recording)
    var procedure = card.procedure()
    let address = try #require(MIFAREPlusKeyAddress(sector: 0))
    try procedure.authenticate(address, SecretKey(hex(Self.key)))
    let blocks = [
      "04505D1AB76880084400020111000220", "3000563D563C563C563C563C563C0000",
      "00000000000000000000000000000000", "00000000000F0F078FC1000000000000",
    ]
    for (number, block) in blocks.enumerated() {
      #expect(try procedure.read(number..<number + 1, .plain) == hex(block))
    }
    #expect(card.deviations.isEmpty)
  }

  /// A session with the messaging of EV1, computed with Python's `cryptography` from the formulas of NXP's reader
  /// library (`phalMfpEVx_Sw_Int_KDF_EV1`, `phalMfpEVx_Sw_Int_ComputeIv`): no recording of a card is public. The last
  /// answer has the counter and the value of a transaction MAC before its own.
  private static let sessionOfEV1 = """
    70024006010000000000 90C911A312EC749CAFCBF2958EE455122B
    729C54D571702CFA0F03F36215676BAB789636E4C9CF42A7AB5744ADF4A48E50A5 906D42A99DAC7A6DAEB01FEF20497049BB26AF5421661CA5BFE5362D01A60F7E0A
    A10400D6455DD2FE2A4A6C6A9F85BED3E027EDC2C991DF19711C16 90AB79A635467DF068
    31040001A9E412D60636ABD9 90180ACA8BE039C49B9C9830DC7FD1D2370A50304884BCFA4B
    A30500303132333435363738393A3B3C3D3E3F1C5D229849516436 900100000051525354555657589DCC9BB4BBD71C73
    """
  private static let keyOfEV1 = "101112131415161718191A1B1C1D1E1F"

  @Test func messagingOfEV1() throws {
    let card = try Card(Self.sessionOfEV1)
    var procedure = card.procedure()
    let address = try #require(MIFAREPlusKeyAddress(sector: 1))
    try procedure.authenticate(address, SecretKey(hex(Self.keyOfEV1)), messaging: .ev1)
    let block = try hex("303132333435363738393A3B3C3D3E3F")
    try procedure.write(4, block, .encrypted)
    #expect(try procedure.read(4..<5, .encrypted) == block)
    try procedure.write(5, block, .plain)
    #expect(card.deviations.isEmpty)
  }

  /// Neither a changed transaction MAC nor a shorter one is taken for the answer to a write.
  @Test(arguments: [0, 8, 12, 19]) func changedTransactionMACsAreRefused(_ place: Int) throws {
    for isShorter in [false, true] {
      let card = try Card(Self.sessionOfEV1) { index, answer in
        guard index == 4 else { return answer }
        var answer = answer
        if isShorter { answer.remove(at: 1 + place) } else { answer[1 + place] ^= 0x10 }
        return answer
      }
      var procedure = card.procedure()
      let address = try #require(MIFAREPlusKeyAddress(sector: 1))
      try procedure.authenticate(address, SecretKey(hex(Self.keyOfEV1)), messaging: .ev1)
      let block = try hex("303132333435363738393A3B3C3D3E3F")
      try procedure.write(4, block, .encrypted)
      _ = try procedure.read(4..<5, .encrypted)
      #expect(throws: NFCError.self) { try procedure.write(5, block, .plain) }
      #expect(procedure.session == nil)
    }
  }

  /// Each bit of each answer is significant.
  @Test(arguments: 0..<4, [0, 1, 8, 15]) func changedAnswersAreRefused(
    _ exchange: Int, _ place: Int
  ) throws {
    let card = try Card(Self.recordings[0]) { index, answer in
      var answer = answer
      if index == exchange { answer[answer.count - 1 - place] ^= 0x10 }
      return answer
    }
    var procedure = card.procedure()
    let address = try #require(MIFAREPlusKeyAddress(sector: 0))
    let key = SecretKey(try hex(Self.key))
    // The capabilities at the end of the second answer are not used.
    if exchange == 1 { return }
    #expect(throws: NFCError.self) {
      try procedure.authenticate(address, key)
      _ = try procedure.read(0..<1, .plain)
      _ = try procedure.read(1..<2, .plain)
    }
    #expect(procedure.session == nil)
  }

  @Test(arguments: [
    (UInt8(0x06), NFCError.Code.notAuthenticated), (0x07, .tagRefused), (0x08, .tagRefused),
    (0x09, .tagRefused), (0x0B, .unsupported), (0x0F, .tagRefused), (0x55, .tagRefused),
  ])
  func statuses(_ status: UInt8, _ code: NFCError.Code) {
    #expect(MIFAREPlusStatus.error(status).code == code)
  }

  @Test(arguments: [
    (Int32(0), "00000000FFFFFFFF0000000005FA05FA"), (1_234_567, "87D612007829EDFF87D6120005FA05FA"),
    (-1, "FFFFFFFF00000000FFFFFFFF05FA05FA"), (.min, "00000080FFFFFF7F0000008005FA05FA"),
  ])
  func values(_ value: Int32, _ block: String) throws {
    let bytes = try hex(block)
    #expect(MIFAREPlusValue(value: value, address: 5).bytes == bytes)
    #expect(MIFAREPlusValue(bytes)?.value == value)
  }
}
