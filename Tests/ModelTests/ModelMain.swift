import ReaderThread

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The program that `Scripts/fuzz model` builds and runs: seconds, then the first seed.
@main
enum ModelMain {
  static func main() async throws {
    let arguments = CommandLine.arguments
    let seconds = arguments.count > 1 ? Int(arguments[1]) ?? 60 : 60
    var seed = arguments.count > 2 ? UInt64(arguments[2]) ?? 0 : 0
    let executor = try ReaderThread()
    let clock = ContinuousClock()
    let end = clock.now + .seconds(seconds)
    var steps = 0
    var problems = 0
    let mostProblems = 20
    while clock.now < end, problems < mostProblems {
      for subject in ModelSubject.all {
        var run = try await ModelRun(subject, seed: seed, executor: executor)
        do {
          for _ in 0..<24 {
            try await run.step()
            steps += 1
          }
        } catch let problem as ModelProblem {
          problems += 1
          print(problem)
        }
      }
      seed += 1
    }
    print("\(steps) operations, \(problems) problems; the next seed is \(seed)")
    exit(problems == 0 ? 0 : 1)
  }
}
