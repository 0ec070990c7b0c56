import SwiftNFCCore
import SwiftNFCLibNFC
import SwiftNFCPCSC
import SwiftNFCReaderExamination
import SwiftNFCSystemFacts
import TestSupport

@testable import NFCDiagnosis

extension SimulatedSystem {
  /// The examination by libnfc, a PC/SC service in a given state, and a source from outside this package.
  func examination(
    asking ask: @escaping () -> SmartCardServiceState = { .shows([]) },
    and other: (any ReaderSource)? = nil
  ) -> Examination {
    let system = SystemSnapshot(files)
    let own: [Examination.Part] = [
      .init(source: LibNFCSource(), examination: LibNFCSource().examination(of: system)),
      .init(source: PCSCSource(), examination: PCSCExamination(system, asking: ask)),
    ]
    return Examination(
      system, own + [other].compactMap(\.self).map { .init(source: $0, in: system) })
  }

  func diagnosis(
    _ service: SmartCardServiceState = .shows([]), and other: (any ReaderSource)? = nil
  ) -> ReaderDiagnosis {
    examination(asking: { service }, and: other).diagnosis()
  }

  /// Whether a diagnosis asks the PC/SC service.
  var asksService: Bool {
    var count = 0
    let examination = examination(asking: {
      count += 1
      return .shows([])
    })
    _ = examination.diagnosis()
    return count == 1
  }

  func reader(
    _ connectionString: String, _ service: SmartCardServiceState = .shows([])
  ) -> ReaderDiagnosis.ExaminedReader {
    examination(asking: { service }).examine(ReaderAddress(connectionString))
  }
}

extension ReaderDiagnosis.ExaminedReader {
  var problems: [ReaderDiagnosis.Problem] { findings.map(\.problem) }
  var advice: String { findings.map(\.advice).joined(separator: "\n") }
}

extension ReaderDiagnosis {
  var problems: [Problem] { findings.map(\.problem) }
  var advice: String { findings.map(\.advice).joined(separator: "\n") }
}
