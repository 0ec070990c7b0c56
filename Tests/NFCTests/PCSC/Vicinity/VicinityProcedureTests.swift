import NFC
import Testing

@testable import VirtualNFC

/// Every command of vicinity tags by way of PC/SC: within the process, where a fault is easily looked
/// into, and through a real daemon with vsmartcard's virtual reader.
@Suite struct VicinityProcedureTests {
  @Test(arguments: VicinityProcedure.all)
  func withinTheProcess(_ procedure: VicinityProcedure) async throws {
    try await procedure.body(try await PCSCBench(procedure.tags(), dialect: procedure.dialect))
  }

  @Test(arguments: VicinityProcedure.all)
  func throughTheDaemon(_ procedure: VicinityProcedure) async throws {
    await #expect(processExitsWith: .success) { [name = procedure.name as String] in
      // An error that ends the process would not be shown.
      do {
        let procedure = try #require(VicinityProcedure.all.first { $0.name == name })
        let service = try PCSCService(procedure.tags(), dialect: procedure.dialect)
        try await procedure.body(try await service.bench())
        service.client.close()
      } catch {
        Issue.record(error)
      }
    }
  }

  /// Two exchanges that belong together.
  enum Pair: String, Codable, CaseIterable {
    case password
    case surveillance

    var expected: VicinityOutcome {
      self == .password ? .done : .payload(ICODESecurity.alarm.hexadecimal)
    }

    func run(on tag: any ISO15693Tag) async throws -> VicinityOutcome {
      guard self == .surveillance else {
        return try await tag.setPassword(.read, ICODEPassword.read.factoryValue)
      }
      _ = try await tag.send(.icode(ICODECommand.setEAS))
      return try await tag.outcome(of: .icode(ICODECommand.alarmEAS))
    }
  }

  /// The second exchange finds a card that is torn from the reader in the middle of the command, and
  /// one that is silent, so that the service waits for it without end.
  @Test(arguments: Pair.allCases)
  func losesACardBetweenTwoExchanges(_ pair: Pair) async throws {
    await #expect(processExitsWith: .success) { [pair = pair as Pair] in
      let chip = VirtualTag.icodeSLIX2()
      let service = try PCSCService(chip)
      let bench = try await service.bench()
      let tornOff = try await bench.tag()
      service.client.hangUp(atCommand: 1)
      #expect(try await pair.run(on: tornOff) == .error(.tagConnectionLost))
      let silent = try await bench.tag()
      service.virtual.setFaults([.init(.readerWaits, at: 1)])
      #expect(try await pair.run(on: silent) == .error(.tagConnectionLost))
      // The daemon still has it: it is there for nobody until it has gone.
      #expect(try await bench.reader.tagsInField().isEmpty)
      try await service.swap(for: chip)
      #expect(try await pair.run(on: try await bench.tag()) == pair.expected)
      service.client.close()
    }
  }

  @Test func namesAreDistinct() {
    #expect(Set(VicinityProcedure.all.map { $0.name }).count == VicinityProcedure.all.count)
  }
}
