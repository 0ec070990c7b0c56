import Foundation
import NDEF
import Testing
import VirtualNFC

@testable import SwiftNFCTool

/// A chip that lies costs a command, or a moment of a command that goes on, and never the process.
@Suite struct HostileReaderTests {
  struct Lie: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let command: [UInt8]
    let answer: [UInt8]

    static let all = [
      Lie(
        testDescription: "NAD in a status", command: [0x42, 0x30],
        answer: [0xD5, 0x43, 0x80] + [UInt8](repeating: 0, count: 16)),
      Lie(testDescription: "no status", command: [0x42, 0x30], answer: [0xD5, 0x43]),
      Lie(
        testDescription: "ATS of length 0", command: [0x4A, 0x01, 0x00],
        answer: [0xD5, 0x4B, 1, 1, 3, 0x44, 0x20, 7, 4, 0xC0, 0xFF, 0xEE, 0x12, 0x34, 0x80, 0]),
      Lie(
        testDescription: "ATS of length 255", command: [0x4A, 0x01, 0x00],
        answer: [
          0xD5, 0x4B, 1, 1, 3, 0x44, 0x20, 7, 4, 0xC0, 0xFF, 0xEE, 0x12, 0x34, 0x80, 0xFF, 0x75,
          0x77,
          0x81, 0x02, 0x80,
        ]),
      Lie(
        testDescription: "UID of length 32", command: [0x4A, 0x01, 0x00],
        answer: [0xD5, 0x4B, 1, 1, 0, 0x44, 0, 32, 4, 0xC0, 0xFF, 0xEE, 0x12, 0x34, 0x80]),
      Lie(
        testDescription: "two tags", command: [0x4A, 0x01, 0x00],
        answer: [
          0xD5, 0x4B, 2, 1, 0, 0x44, 0, 7, 4, 1, 2, 3, 4, 5, 6, 2, 0, 0x44, 0, 7, 4, 1, 2, 3, 4, 5,
          7,
        ]
      ),
    ]

    var faults: [Fault] {
      (0..<2).map { Fault(.replyContentReplaced(answer), at: .commandBeginning(command, $0)) }
    }
  }

  @Test(arguments: Lie.all)
  func aCommandEndsWithAnAnswerOrOneLine(_ lie: Lie) async throws {
    for line in [["read", "--json"], ["poll", "--once", "--json"]] {
      let field = VirtualField()
      try field.place(
        .ntag213(
          uid: [4, 1, 2, 3, 4, 5, 6], ndef: NDEFMessage(records: [.uri("https://a.example")])))
      let virtual = try VirtualReader(field)
      virtual.setFaults(lie.faults)
      let result = try await Tool.run(
        line + ["--reader", virtual.connectionString, "--timeout", "2"])
      let place: Comment = "\(line): \(result.status) \(result.output)\(result.errors)"
      #expect([0, 65, 66, 74].contains(result.status), place)
      #expect(result.errorLines.count == (result.status == 0 ? 0 : 1), place)
      // Not more of an ATS than the chip has said.
      #expect(!result.output.contains("historicalBytes"), place)
      virtual.close()
    }
  }

  @Test(arguments: Lie.all)
  func watchGoesOn(_ lie: Lie) async throws {
    let field = VirtualField()
    let virtual = try VirtualReader(field)
    let watch = try RunningTool(["watch", "--json", "--reader", virtual.connectionString])
    virtual.setFaults(lie.faults)
    field.place(.ntag213(uid: [4, 1, 2, 3, 4, 5, 6]))
    var lines = try await watch.waitForLines(1)
    while !lines.contains(where: { $0.contains("04010203040506") && $0.contains(#""tap""#) }) {
      lines = try await watch.waitForLines(lines.count + 1)
    }
    watch.interrupt()
    #expect(try await watch.end().status == 130)
    virtual.close()
  }

  /// libnfc runs beside `nfc watch`, and not in it.
  @Test func watchLosesAReaderAndNotItselfWhenLibnfcEnds() async throws {
    let field = VirtualField()
    let virtual = try VirtualReader(field)
    let watch = try RunningTool(["watch", "--json", "--reader", virtual.connectionString])
    field.place(.ntag213(uid: [4, 1, 2, 3, 4, 5, 6]))
    _ = try await watch.waitForLines(1)
    let helper = try #require(
      IsolatedReaderCommandTests.helpers(of: virtual.connectionString).first)
    kill(helper, SIGABRT)
    #expect(try await watch.waitForErrors("is away"))
    field.removeAll()
    field.place(.ntag215(uid: [4, 9, 2, 3, 4, 5, 6]))
    var lines = try await watch.waitForLines(2)
    while !lines.contains(where: { $0.contains("04090203040506") }) {
      lines = try await watch.waitForLines(lines.count + 1)
    }
    #expect(
      lines.allSatisfy { $0.contains(#""reader":"\#(virtual.connectionString)""#) }, "\(lines)")
    watch.interrupt()
    #expect(try await watch.end().status == 130)
    virtual.close()
  }

  /// A fault of a library is one line, and no backtrace.
  @Test(arguments: [SIGABRT, SIGSEGV, SIGILL])
  func aFatalSignalIsOneLine(_ signal: Int32) async throws {
    let virtual = try RunningTool(["virtual", "ntag213"])
    _ = try await virtual.waitForLines(1)
    virtual.interrupt(signal)
    let result = try await virtual.end()
    #expect(result.status == 74)
    #expect(result.errorLines.count == 1 && result.errors.hasPrefix("nfc: "), "\(result.errors)")
  }
}
