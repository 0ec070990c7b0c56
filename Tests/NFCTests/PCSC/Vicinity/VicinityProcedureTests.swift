import NFC
import TestSupport
import Testing
import VirtualNFC

/// Every command of vicinity tags by way of PC/SC within the process, where a fault is easily looked
/// into. ``PCSCServiceTests`` runs the same through a real daemon.
@Suite(.replayed) struct VicinityProcedureTests {
  @Test(
    .asking(.blockLock, .identifierLock, .configurationLock, .counter, .destruction),
    arguments: VicinityProcedure.all)
  func withinTheProcess(_ procedure: VicinityProcedure) async throws {
    try await procedure.body(try await PCSCBench(procedure.tags(), dialect: procedure.dialect))
  }
}
