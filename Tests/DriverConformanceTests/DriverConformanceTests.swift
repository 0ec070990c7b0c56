import DriverConformance
import SwiftNFCIsolated
import SwiftNFCLibNFC
import Testing

/// Each driver of this package, put through what every driver does.
@Suite struct DriverConformanceTests {
  @Test(arguments: DriverCheck.all)
  func libnfcConforms(_ check: DriverCheck) async throws {
    let outcome = try await check.run { try LibNFCBench(LibNFCSource()) }
    #expect(outcome == .passed)
  }

  @Test(arguments: DriverCheck.all)
  func isolatedLibnfcConforms(_ check: DriverCheck) async throws {
    let outcome = try await check.run {
      try LibNFCBench(IsolatedSource(), prefix: "isolated:")
    }
    #expect(outcome == .passed)
  }

  /// A card is found with all others at once.
  @Test(arguments: DriverCheck.all)
  func pcscConforms(_ check: DriverCheck) async throws {
    let outcome = try await check.run { PCSCBench() }
    if case .notApplicable(let reason) = outcome {
      #expect(reason == "the driver finds all tags at once")
    }
  }
}
