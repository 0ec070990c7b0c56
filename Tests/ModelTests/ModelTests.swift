import ReaderThread
import Testing

/// A seeded sample of what `Scripts/fuzz model` runs longer.
@Suite struct ModelTests {
  @Test(arguments: ModelSubject.all) func randomSequences(_ subject: ModelSubject) async throws {
    let executor = try ReaderThread()
    for seed in 0..<24 {
      var run = try await ModelRun(subject, seed: UInt64(seed), executor: executor)
      do {
        for _ in 0..<16 { try await run.step() }
      } catch let problem as ModelProblem {
        Issue.record("\(problem)")
        return
      }
    }
  }
}
