import SwiftNFCCore
import SUNMessage
import Testing

@testable import SecureTags

/// Sessions count their commands in two bytes. A number is not used twice: the session ends before.
@Suite struct SessionCounterTests {
  private static let block = [UInt8](0..<16)
  private static let other = [UInt8](16..<32)
  private static let identifier: [UInt8] = [1, 2, 3, 4]

  private func expectEnd(_ body: () throws -> Void) {
    let error = #expect(throws: NFCError.self) { try body() }
    #expect(error?.code == .notAuthenticated)
  }

  private static let commands = [
    DESFireCommand(code: .getFileIdentifiers, answer: .anyData),
    DESFireCommand(
      code: .readData, header: [1], protection: .data(.plain), answer: .data(count: 1)),
    DESFireCommand(code: .writeData, header: [1], data: [5], protection: .encrypted),
  ]

  @Test(arguments: commands) func ofEV2(_ command: DESFireCommand) throws {
    func session(_ counter: UInt16) throws -> EV2Messaging {
      try EV2Messaging(
        encryptionKey: SecretKey(Self.block), codeKey: SecretKey(Self.other),
        transactionIdentifier: Self.identifier, commandCounter: counter)
    }
    var last = try session(.max - 1)
    _ = try last.protect(command)
    var used = try session(.max)
    expectEnd { _ = try used.protect(command) }
  }

  @Test(arguments: commands) func ofLRP(_ command: DESFireCommand) throws {
    func session(_ counter: UInt16) throws -> LRPMessaging {
      try LRPMessaging(
        key: try #require(SUNKey(Self.block)), reader: Self.block, card: Self.other,
        transactionIdentifier: Self.identifier, commandCounter: counter)
    }
    var last = try session(.max - 1)
    _ = try last.protect(command)
    var used = try session(.max)
    expectEnd { _ = try used.protect(command) }
  }

  @Test(arguments: MIFAREPlusSecureMessaging.allCases)
  func ofMIFAREPlus(_ form: MIFAREPlusSecureMessaging) throws {
    func session(reads: UInt16, writes: UInt16) throws -> MIFAREPlusMessaging {
      try MIFAREPlusMessaging(
        form, key: BlockCipher(.aes128, key: SecretKey(Self.block)), reader: Self.block,
        card: Self.other, identifier: Self.identifier, reads: reads, writes: writes)
    }
    let last = try session(reads: .max - 1, writes: .max - 1)
    #expect(try last.readCommand(0x33, [4, 0, 1]).count == 12)
    #expect(try last.writeCommand(0xA3, [4, 0], plain: Self.block).count == 27)
    // Each has its own numbers.
    let read = try session(reads: .max, writes: 0)
    expectEnd { _ = try read.readCommand(0x33, [4, 0, 1]) }
    #expect(try read.writeCommand(0xA3, [4, 0], plain: Self.block).count == 27)
    let written = try session(reads: 0, writes: .max)
    expectEnd { _ = try written.writeCommand(0xA3, [4, 0], plain: Self.block) }
    #expect(try written.readCommand(0x33, [4, 0, 1]).count == 12)
  }

  @Test func ofUltralightAES() throws {
    var session = try UltralightAESMessaging(
      key: BlockCipher(.aes128, key: SecretKey(Self.block)), reader: Self.block, tag: Self.other)
    var count = 0
    while count <= 0xFFFF, (try? session.protect([0x60])) != nil { count += 1 }
    // The numbers 0 to FFFC: the answer to a command with the last one has FFFD.
    #expect(count == 0xFFFD)
    let number = session.counter
    expectEnd { _ = try session.protect([0x60]) }
    #expect(session.counter == number)
  }
}
