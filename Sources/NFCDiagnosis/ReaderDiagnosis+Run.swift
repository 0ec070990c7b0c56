import NFC
import SwiftNFCCore
import ReaderThread
import SwiftNFCSystemFacts

extension ReaderDiagnosis {
  /// Returns the readers that are present, and the problems that affect them.
  ///
  /// Opens no reader. The PC/SC service is asked for its readers, which starts it if it is started
  /// on demand; it is not asked if it would take a reader that another source drives.
  public static func current() async -> ReaderDiagnosis {
    await onOwnThread {
      Examination(SystemSnapshot(.own), by: ReaderSources.all).diagnosis()
    }
  }

  /// Examines why one reader cannot be opened.
  ///
  /// The reader is opened and closed again if no visible problem prevents it.
  ///
  /// - Parameter connectionString: what `Reader.open(_:)` takes.
  public static func examine(_ connectionString: String) async -> ReaderDiagnosis {
    // The problems of a reader are the same whoever opens it.
    let address = ReaderAddress(connectionString)
    let underlying = ReaderSources.source(of: address)?.underlyingAddress(of: address)
    let examined = underlying?.description ?? connectionString
    var diagnosis = await onOwnThread {
      let examination = Examination(SystemSnapshot(.own), by: ReaderSources.all)
      return ReaderDiagnosis(readers: [examination.examine(ReaderAddress(examined))])
    }
    for index in diagnosis.readers.indices where diagnosis.readers[index].canBeOpened {
      await diagnosis.readers[index].open(connectionString)
    }
    return diagnosis
  }

  /// Files and services answer when they like: not on a thread that others wait for.
  private static func onOwnThread<Result: Sendable>(
    _ body: @escaping @Sendable () -> Result
  ) async -> Result {
    // Without its own thread, it runs on one of the pool.
    let thread = try? ReaderThread()
    return await Task(executorPreference: thread) { body() }.value
  }
}

extension ReaderDiagnosis.ExaminedReader {
  fileprivate mutating func open(_ connectionString: String) async {
    do {
      let reader = try await Reader.open(connectionString)
      self.connectionString = reader.connectionString
      await reader.close()
      wasOpened = true
    } catch let error as NFCError {
      findings.append(.noAnswer(connectionString, error))
    } catch {
      findings.append(ReaderDiagnosis.Finding(.noAnswer, "\(error)"))
    }
  }
}

extension ReaderDiagnosis.Finding {
  /// Returns other possible causes, from the reports of users of each kind of reader.
  static func noAnswer(_ connectionString: String, _ error: NFCError) -> ReaderDiagnosis.Finding {
    let address = ReaderAddress(connectionString)
    let advice =
      ReaderSources.source(of: address)?.advice(forSilenceOf: address)
      ?? "check its cable and power"
    return ReaderDiagnosis.Finding(
      .noAnswer, without(advice, error.description), advice: advice)
  }

  /// Removes the last part of a description if the advice begins with it.
  private static func without(_ advice: String, _ description: String) -> String {
    let parts = description.split(separator: "; ")
    guard parts.count > 1, let last = parts.last, advice == last || advice.hasPrefix(last + "; ")
    else { return description }
    return parts.dropLast().joined(separator: "; ")
  }
}
