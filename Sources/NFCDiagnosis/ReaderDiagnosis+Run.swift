import NFC
import SwiftNFCCore
import ReaderThread
import SwiftNFCReaderExamination
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

  /// Returns the same as ``current()``, on this thread, which it may hold for as long as a service does not answer.
  package static func currentOnThisThread() -> ReaderDiagnosis {
    Examination(SystemSnapshot(.own), by: ReaderSources.all).diagnosis()
  }

  /// Returns the same as ``current()``, and asks each free serial port once whether a PN532 is on it.
  ///
  /// A port that a program has open, that the kernel's console or a login uses, or that this login may not open is not
  /// asked. What is on a port that is asked receives a few bytes, at 115 200 baud, which another device may take for
  /// something else.
  public static func probing() async -> ReaderDiagnosis {
    await onOwnThread {
      let examination = Examination(SystemSnapshot(.own), by: ReaderSources.all)
      var diagnosis = examination.diagnosis()
      for (source, address) in examination.freePorts {
        diagnosis.note(Result { try source.ask(address) }, at: address, from: source)
      }
      return diagnosis
    }
  }

  /// Notes what has answered on a port.
  mutating func note(
    _ answer: Result<PortAnswer, any Error>, at address: ReaderAddress,
    from source: any ExaminableSource
  ) {
    let name = address.description
    let index = readers.firstIndex { $0.connectionString == name }
    var reader = index.map { readers[$0] } ?? ExaminedReader(name: name, connectionString: name)
    reader.findings.removeAll { $0.problem == .notSearched }
    reader.isPort = true
    switch answer {
    case .success(.chip(let chip)):
      reader = ExaminedReader(
        name: chip, usb: reader.usb, place: reader.place, connectionString: name, wasOpened: true)
    case .success(let answer):
      reader.findings.append(
        source.finding(about: answer)
          ?? Finding(
            .noAnswer, "nothing has answered on it",
            advice: source.advice(forSilenceOf: address)))
    case .failure(let error): reader.findings.append(Finding(.noAnswer, "\(error)"))
    }
    if let index { readers[index] = reader } else { readers.append(reader) }
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
      guard !diagnosis.readers[index].wasOpened,
        let finding = await onOwnThread({ finding(onLineOf: ReaderAddress(examined)) })
      else { continue }
      diagnosis.readers[index].findings.removeAll { $0.problem == .noAnswer }
      diagnosis.readers[index].findings.append(finding)
    }
    return diagnosis
  }

  /// Returns what is on the serial line of a reader that does not answer, if that is more than silence.
  private static func finding(onLineOf address: ReaderAddress) -> Finding? {
    guard let source = ReaderSources.source(of: address) as? any ExaminableSource,
      let answer = try? source.ask(address)
    else { return nil }
    return source.finding(about: answer)
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
      emulation = Emulation(reader.capabilities)
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
