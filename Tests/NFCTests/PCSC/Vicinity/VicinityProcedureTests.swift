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

  @Test func namesAreDistinct() {
    #expect(Set(VicinityProcedure.all.map { $0.name }).count == VicinityProcedure.all.count)
  }
}
