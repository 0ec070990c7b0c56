import ReaderThread

/// Uses actors with threads of their own from several tasks, and releases each with its last use.
///
/// ```
/// ThreadExercise ROUNDS
/// ```
///
/// Prints how many commands were executed.
@main
struct ThreadExercise {
  private actor Device {
    private let thread: ReaderThread
    private var count = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init() throws { thread = try ReaderThread() }

    func execute() -> Int {
      count += 1
      return 1
    }
  }

  private static let width = 4

  static func main() async throws {
    let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1
    let total = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<width { group.addTask { try await use(rounds) } }
      var total = 0
      for try await count in group { total += count }
      return total
    }
    print(total)
  }

  private static func use(_ rounds: Int) async throws -> Int {
    var total = 0
    for _ in 0..<rounds {
      let device = try Device()
      // None of these tasks waits for another one: which of them is the last varies.
      let tasks = (0..<width).map { _ in Task { await device.execute() } }
      total += await device.execute()
      for task in tasks { total += await task.value }
    }
    return total
  }
}
