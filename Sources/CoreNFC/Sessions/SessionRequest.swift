import Foundation
import NFC

/// What a session searches for, as permitted by Info.plist.
struct SessionRequest: Sendable {
  let purpose: SessionCore.Purpose
  let polling: PollingOptions
  let applications: [ApplicationIdentifier]
  let systems: [UInt16]
  let limits: NFCSessionLimits

  /// - Throws: `readerErrorSecurityViolation`, naming the key that Info.plist lacks;
  ///   `readerErrorUnsupportedFeature`.
  init(_ purpose: SessionCore.Purpose, _ environment: NFCEnvironment) throws {
    let (information, limits) = (environment.information, environment.limits)
    self.purpose = purpose
    self.limits = limits
    if limits.requiresUsageDescription, information.usageDescription?.isEmpty ?? true {
      throw NFCReaderError(
        violating: NFCInformation.Key.usageDescription, "does not say what NFC is used for")
    }
    applications = try information.identifiers()
    systems = try information.systems()
    switch purpose {
    case .tags(let options):
      polling = PollingOptions(options)
      if options.contains(.iso18092), !options.contains(.pace), systems.isEmpty,
        limits.requiresListedSystems
      {
        throw NFCReaderError(
          violating: NFCInformation.Key.systemCodes, "lists no FeliCa systems")
      }
    case .messages:
      polling = .all
    case .unsupported(let reason):
      throw NFCReaderError(
        .readerErrorUnsupportedFeature, userInfo: [NSLocalizedFailureReasonErrorKey: reason])
    }
  }

  /// Whether the session searches for ISO 7816 cards but cannot report any.
  var lacksApplications: Bool {
    guard case .tags(let options) = purpose else { return false }
    return options.contains(.iso14443) && !options.contains(.pace) && applications.isEmpty
      && limits.requiresListedApplications
  }
}

extension PollingOptions {
  init(_ options: NFCTagReaderSession.PollingOption) {
    self = []
    if options.contains(.pace) {
      self = .iso14443
      return
    }
    if options.contains(.iso14443) { insert(.iso14443) }
    if options.contains(.iso15693) { insert(.iso15693) }
    if options.contains(.iso18092) { insert(.iso18092) }
  }
}
