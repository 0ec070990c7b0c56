import Foundation
import NFC
import TestSupport
import Testing
import VirtualNFC

/// Tests faults at every exchange of a command, with the real pcscd and vpcd. The exit code is right, no
/// result is partly reported, the memory is consistent, and the next command succeeds.
@Suite struct PCSCFaultTests {
  enum Fault: CaseIterable {
    /// The tag does not receive one frame.
    case frameLost
    /// The tag executes one command, but its answer is lost.
    case answerLost
    /// One answer of the tag is corrupted.
    case answerBroken
    /// The tag receives nothing from this frame on.
    case silence
    /// The tag answers with an error once.
    case refusal
    /// The tag is removed before the frame.
    case removal
    /// The card is removed from the reader during a command of the reader.
    case tornOff
  }

  struct Command {
    let arguments: [String]
    /// The content of the tag afterwards, from block 4 on, and whether block 4 is locked.
    let memory: [UInt8]
    let isLocked: Bool
  }

  static let old: [UInt8] = [0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08]
  static let new: [UInt8] = [0xA1, 0xA2, 0xA3, 0xA4, 0xB1, 0xB2, 0xB3, 0xB4]

  static let commands = [
    Command(arguments: ["read", "0-79", "--security"], memory: old, isLocked: false),
    Command(arguments: ["write", "4", new.hexadecimal], memory: new, isLocked: false),
    Command(arguments: ["lock", "4", "--permanently"], memory: old, isLocked: true),
  ]

  /// All cases of a fault run at the same time, each with its own daemon. One after the other, they would
  /// mostly wait for pcscd to notice a card.
  @Test(arguments: Fault.allCases)
  func atEveryExchange(_ fault: Fault) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for command in Self.commands {
        let (result, exchanges) = try await Bench().run(command)
        #expect(result.status == 0, "\(command): \(result.errors)")
        #expect(exchanges >= 2)
        for exchange in 0..<exchanges {
          group.addTask {
            try await check(fault, at: exchange, of: command, output: result.output)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  private func check(
    _ fault: Fault, at exchange: Int, of command: Command, output: String
  ) async throws {
    let place = Comment(rawValue: "\(fault) at exchange \(exchange) of \(command.arguments)")
    let bench = try Bench()
    bench.set(fault, at: exchange)
    // The first exchange is the search. A tag that it misses is searched for again until the time is over.
    let isSearch = exchange == 0
    // If the command changes the tag, the second exchange searches for another tag. If the tag has left by
    // then, the command waits for it again.
    let isSecondSearch = exchange == 1 && command.arguments[0] != "read"
    let isMissed =
      isSearch && [.silence, .removal, .tornOff].contains(fault)
      || isSecondSearch && [.silence, .removal].contains(fault)
    // A card that was removed returns later than that.
    let (result, _) = try await bench.run(command, timeout: isMissed ? "0.8" : "15")
    switch fault {
    case .frameLost, .answerLost, .answerBroken:
      #expect(result.status == 0, place)
    case .refusal:
      // If a tag refuses to read several blocks at once, the command requests fewer.
      let isBorne =
        isSearch || isSecondSearch || command.arguments[0] == "read"
        || bench.chip.hasRefusedQuestion
      #expect(result.status == (isBorne ? 0 : 74), place)
    case .tornOff where isSecondSearch:
      #expect([0, 66].contains(result.status), place)
    case .silence, .removal, .tornOff:
      #expect(result.status == (isSearch || isSecondSearch ? 66 : 74), place)
    }
    if result.status == 0 {
      #expect(result.output == output, place)
      #expect(result.errors == "", place)
      #expect(bench.chip.content == command.memory, place)
      #expect(bench.chip.isLocked == command.isLocked, place)
    } else {
      #expect(result.output == "", place)
      #expect(result.errorLines.count == 1, place)
      #expect(result.errors.hasPrefix("nfc: "), place)
      // Each block has either its old or its new content, and the second block is new only if the first one
      // is.
      let (first, second) = (bench.chip.content.prefix(4), bench.chip.content.suffix(4))
      #expect(first == Self.old.prefix(4) || first == command.memory.prefix(4), place)
      #expect(
        second == Self.old.suffix(4)
          || second == command.memory.suffix(4) && first == command.memory.prefix(4), place)
    }
    bench.clear()
    let poll = try await bench.run(["poll", "--once"])
    #expect(poll.output.contains("ICODE SLIX2"), place)
    #expect(poll.status == 0, place)
    let read = try await bench.run(["iso15693", "read", "4-5"])
    #expect(read.status == 0, place)
  }
}

extension PCSCFaultTests {
  /// A daemon and a chip on its reader.
  private final class Bench: Sendable {
    let daemon: PrivatePCSCD
    let field = VirtualField()
    let tag = VirtualTag(RefusingChip())
    let virtual: VirtualPCSCReader
    let client: VirtualPCSCClient

    init() throws {
      daemon = try PrivatePCSCD(name: "Virtual PCD")
      field.place(tag)
      virtual = VirtualPCSCReader(field)
      client = try VirtualPCSCClient(virtual, port: daemon.port)
    }

    deinit { client.close() }

    var chip: RefusingChip { tag.withChip(RefusingChip.self) { $0 } ?? RefusingChip() }

    /// The number of APDUs before the first exchange: start of a session, selection of the protocol, and
    /// time-out.
    private static let firstExchange = 3

    func set(_ fault: Fault, at exchange: Int) {
      typealias Effect = VirtualPCSCReader.Fault.Effect
      func set(_ effect: Effect, _ exchanges: Range<Int>) {
        virtual.setFaults(exchanges.map { VirtualPCSCReader.Fault(effect, at: $0) })
      }
      let once = exchange..<(exchange + 1)
      switch fault {
      case .frameLost: set(.frameLost, once)
      case .answerLost: set(.answerLost, once)
      case .answerBroken: set(.answerBroken, once)
      case .silence: set(.frameLost, exchange..<(exchange + 1000))
      case .removal: set(.tagLeaves, once)
      case .refusal: tag.withChip(RefusingChip.self) { $0.refuse(at: exchange) }
      case .tornOff: client.hangUp(atCommand: Self.firstExchange + exchange)
      }
    }

    func clear() {
      virtual.setFaults([])
      client.hangUp(atCommand: nil)
      field.place(tag)
    }

    func run(
      _ command: Command, timeout: String = "15"
    ) async throws -> (result: Tool.Result, exchanges: Int) {
      let before = virtual.statistics.exchanges
      let result = try await run(["iso15693"] + command.arguments, timeout: timeout)
      return (result, virtual.statistics.exchanges - before)
    }

    func run(_ arguments: [String], timeout: String = "15") async throws -> Tool.Result {
      try await Tool.run(
        arguments + ["--reader", "pcsc:", "--timeout", timeout], environment: daemon.environment)
    }
  }

  /// An ICODE SLIX2 that refuses one of the next requests, like a chip whose programming voltage fails.
  private struct RefusingChip: ForwardingChip {
    private static let unknownError: [UInt8] = [0x01, 0x0F]
    private static let getSystemInformation: UInt8 = 0x2B

    var chip = ICODESLIX2()
    private var refusal: Int?
    private(set) var hasRefusedQuestion = false

    init() { chip.memory.replaceSubrange(16..<24, with: PCSCFaultTests.old) }

    mutating func refuse(at exchange: Int) { refusal = exchange }

    /// The content of blocks 4 and 5.
    var content: [UInt8] { Array(chip.memory[16..<24]) }
    var isLocked: Bool {
      var copy = chip
      copy.powerOff()
      copy.powerOn()
      let answer = copy.receive(.iso15693([0x42, 0x20, 0x04]))
      return answer?.bytes.dropFirst().first == 1
    }

    mutating func receive(_ frame: RadioFrame) -> RadioFrame? {
      guard let left = refusal else { return chip.receive(frame) }
      refusal = left > 0 ? left - 1 : nil
      guard left == 0 else { return chip.receive(frame) }
      hasRefusedQuestion = frame.bytes.dropFirst().first == Self.getSystemInformation
      return .iso15693(Self.unknownError)
    }
  }
}
