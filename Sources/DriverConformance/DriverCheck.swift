import NFC
import ReaderThread

/// A check of the behavior that all drivers share.
///
/// ```swift
/// @Test(arguments: DriverCheck.all)
/// func conforms(_ check: DriverCheck) async throws {
///   try await check.run { try MyBench() }
/// }
/// ```
///
/// The checks need no test library: each throws a ``Failure`` that says what the driver did, and is
/// stopped after one minute.
public struct DriverCheck: Sendable, CustomStringConvertible {
  /// Creates a bench whose reader is not open.
  public typealias BenchMaker = @Sendable () async throws -> any DriverBench

  /// The outcome of a check that found no fault.
  @nonexhaustive
  public enum Outcome: Hashable, Sendable {
    /// The driver has passed the check.
    case passed
    /// The bench or the driver lacks what the check needs, for this reason.
    case notApplicable(String)
  }

  /// The driver did not behave as expected.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  /// What is checked, as a clause: `a tag that is removed early is lost`.
  public let description: String
  private let body: @Sendable (BenchMaker) async throws -> Outcome

  init(
    _ description: String, _ body: @escaping @Sendable (BenchMaker) async throws -> Outcome
  ) {
    self.description = description
    self.body = body
  }

  /// All checks, in a suitable order for a new driver.
  public static let all: [DriverCheck] =
    opening + listing + searching + exchanging + failing + readers

  /// Runs the check.
  ///
  /// - Returns: whether the check was applicable.
  /// - Throws: ``Failure``, or an error of the driver that was not expected.
  @discardableResult
  public func run(_ makeBench: @escaping BenchMaker) async throws -> Outcome {
    let body = body
    return try await Self.bounded(.seconds(60)) { try await body(makeBench) }
  }

  /// Runs `body`; continues without it when it takes too long, since a driver that hangs cannot be
  /// cancelled.
  private static func bounded(
    _ limit: Duration, _ body: @escaping @Sendable () async throws -> Outcome
  ) async throws -> Outcome {
    let (results, continuation) = AsyncStream.makeStream(of: Result<Outcome, any Error>.self)
    let work = Task {
      do {
        continuation.yield(.success(try await body()))
      } catch {
        continuation.yield(.failure(error))
      }
    }
    let clock = Task {
      try await Task.sleep(for: limit)
      continuation.yield(.failure(Failure(description: "the driver has not come back in \(limit)")))
    }
    defer {
      work.cancel()
      clock.cancel()
    }
    for await result in results { return try result.get() }
    throw CancellationError()
  }
}

extension DriverCheck {
  /// Fails the check unless something is so.
  static func expect(_ isSo: Bool, _ problem: @autoclosure () -> String) throws {
    if !isSo { throw Failure(description: problem()) }
  }

  /// Expects one of some errors, and returns it.
  @discardableResult
  static func expectError<Result>(
    _ codes: NFCError.Code..., from activity: String, _ body: () throws -> Result
  ) throws -> NFCError {
    do {
      let result = try body()
      throw Failure(description: "\(activity) succeeded with \(result), expected \(codes)")
    } catch let error as NFCError {
      try expect(
        codes.contains(error.code),
        "\(activity) threw \(error.code) (\(error)), expected one of \(codes)")
      return error
    }
  }

  /// Expects that something ends in time.
  static func expectEnd<Result>(
    within limit: Duration, of activity: String, _ body: () throws -> Result
  ) throws -> Result {
    let start = ContinuousClock.now
    let result = Swift.Result { try body() }
    let duration = ContinuousClock.now - start
    try expect(duration < limit, "\(activity) took \(duration), more than \(limit)")
    return try result.get()
  }

  /// Runs `body` with a driver, on a thread that may block, and closes the driver.
  static func withDriver<Result: Sendable>(
    of bench: any DriverBench, _ body: @escaping @Sendable (any ReaderDriver) throws -> Result
  ) async throws -> Result {
    let thread = try ReaderThread()
    return try await Task(executorPreference: thread) {
      let driver = try bench.makeDriver()
      driver.begin()
      defer {
        driver.end()
        driver.close()
      }
      return try body(driver)
    }.value
  }

  /// Runs `body` with a reader over the bench's driver, and closes it.
  static func withReader<Result: Sendable>(
    of bench: any DriverBench, _ body: (Reader) async throws -> Result
  ) async throws -> Result {
    let reader = try await Reader.open { try bench.makeDriver() }
    do {
      let result = try await body(reader)
      await reader.close()
      return result
    } catch {
      await reader.close()
      throw error
    }
  }

  /// Finds the only tag on the reader, as polling does, and selects it.
  static func find(
    _ tag: BenchTag, _ technology: TagTechnology, with driver: any ReaderDriver
  ) throws -> Target {
    try driver.resetField()
    let found = try driver.list(technology)
    guard let target = found.first, found.count == 1 else {
      throw Failure(description: "\(found.count) tags of \(technology.rawValue) found, expected 1")
    }
    try expect(
      tag.identifier.isEmpty || target.identifier == tag.identifier,
      "found \(target.identifier), expected \(tag.identifier)")
    try expect(target.technology == technology, "a search for \(technology) gave \(target)")
    try driver.select(target)
    return target
  }

  /// A time-out that every tag keeps.
  static let ordinaryTimeout = Duration.seconds(1)

  static func expectAnswer(of tag: BenchTag, from driver: any ReaderDriver) throws {
    guard let command = tag.command else { return }
    let answer = try driver.exchange(command, framing: tag.framing, timeout: ordinaryTimeout)
    try expect(
      answer.starts(with: tag.answer), "the tag answered \(answer), expected \(tag.answer)…")
  }
}

extension DriverBench {
  /// Returns the first technology whose tag takes a command.
  func technologyWithCommand() throws -> TagTechnology? {
    try technologies.first { try present($0).command != nil }
  }
}
