import NFC
import SwiftNFCCore
import Synchronization
import TestSupport
import Testing
import VirtualNFC

@testable import SwiftNFCTool

/// Tests of commands from subscribers without a broker.
@Suite struct RemoteCommandTests {
  /// READ SINGLE BLOCK (ISO/IEC 15693-3, 10.4.1).
  private static let request: [UInt8] = [0x02, 0x20, 0x00]

  /// While commands are sent, no tap is reported.
  @Test func aMessageHasALimitedNumberOfCommands() throws {
    func command(_ count: Int) throws -> RemoteCommand {
      let commands = Array(repeating: #""3004""#, count: count).joined(separator: ",")
      return try RemoteCommand(#"{"id":"1","do":"send","commands":[\#(commands)]}"#)
    }
    #expect(throws: Never.self) { try command(1000) }
    let failure = #expect(throws: Failure.self) { try command(1001) }
    #expect(failure?.status == .usage)
  }

  /// `timeout` limits the wait for a tag. A request that the tag does not answer takes only as long as any other.
  @Test(arguments: [2, 300]) func theTimeoutIsNotThatOfAnExchange(_ timeout: Int) async throws {
    let field = VirtualField()
    field.place(.icodeSLIX())
    let virtual = VirtualPCSCReader(field)
    let log = Log()
    let reader = try await Reader.open(over: { LoggedService(virtual.service(), log) })
    let text = Self.request.hexadecimal
    let command = try RemoteCommand(
      #"{"id":"1","do":"send","commands":["\#(text)"],"timeout":\#(timeout)}"#)
    let answer = await command.answer(with: reader)
    await reader.close()
    #expect(answer.contains(#""answers":["00"#), "\(answer)")
    let limits = log.timeouts(of: Self.request)
    #expect(!limits.isEmpty && limits.allSatisfy { $0 <= .seconds(1) }, "\(limits)")
  }

  /// The commands that a service has received, with their time limits.
  private final class Log: Sendable {
    private let commands = Mutex<[(bytes: [UInt8], timeout: Duration)]>([])

    func add(_ bytes: [UInt8], _ timeout: Duration) {
      commands.withLock { $0.append((bytes, timeout)) }
    }

    /// Returns the time limits of the commands that contain a request.
    func timeouts(of request: [UInt8]) -> [Duration] {
      commands.withLock { $0.filter { $0.bytes.contains(request) }.map(\.timeout) }
    }
  }

  private final class LoggedService: ForwardingService {
    private let log: Log

    init(_ base: any SmartCardService, _ log: Log) {
      self.log = log
      super.init(base)
    }

    override func transmit(
      _ command: [UInt8], atMost timeout: Duration
    ) throws(SmartCardFailure) -> [UInt8] {
      log.add(command, timeout)
      return try super.transmit(command, atMost: timeout)
    }
  }
}
