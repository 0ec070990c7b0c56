import Foundation
import NFC

/// What a session searches for, as permitted by Info.plist.
struct SessionRequest: Sendable {
  let purpose: SessionCore.Purpose
  let polling: PollingOptions
  /// The applications and systems that commands may name.
  let applications: [ApplicationIdentifier]
  /// Entries of Info.plist that are not AIDs.
  let invalidApplications: [String]
  let systems: [UInt16]
  /// Those of them that the session searches for, in this order.
  let searchedApplications: [ApplicationIdentifier]
  let searchedSystems: [UInt16]
  let limits: NFCSessionLimits

  /// - Throws: `readerErrorSecurityViolation`, naming the key that Info.plist lacks;
  ///   `readerErrorInvalidParameter` without a technology to poll, or without a pass to ask for.
  init(_ purpose: SessionCore.Purpose, _ environment: NFCEnvironment) throws {
    let (information, limits) = (environment.information, environment.limits)
    self.purpose = purpose
    self.limits = limits
    if limits.requiresUsageDescription, information.usageDescription?.isEmpty ?? true {
      throw NFCReaderError(
        violating: NFCInformation.Key.usageDescription, "does not say what NFC is used for")
    }
    applications = information.identifiers
    invalidApplications = information.invalidIdentifiers
    switch purpose {
    case .tags(let configuration):
      let options = configuration.pollingOption
      systems =
        options.contains(.iso18092) ? try information.checkedSystems() : information.systems
      polling = PollingOptions(options)
      guard !polling.isEmpty else {
        throw NFCReaderError(
          .readerErrorInvalidParameter,
          userInfo: [NSLocalizedFailureReasonErrorKey: "the session polls for nothing"])
      }
      searchedApplications = Self.chosen(
        configuration.iso7816SelectIdentifiers.map(ApplicationIdentifier.init(hexadecimal:)),
        of: applications, onlyListed: limits.requiresListedApplications)
      searchedSystems = Self.chosen(
        configuration.feliCaSystemCodes.map(NFCInformation.system),
        of: systems, onlyListed: limits.requiresListedSystems)
      if options.contains(.iso18092), systems.isEmpty, limits.requiresListedSystems {
        throw NFCReaderError(
          violating: NFCInformation.Key.systemCodes, "lists no FeliCa systems")
      }
    case .messages:
      systems = information.systems
      polling = .messages
      searchedApplications = applications
      searchedSystems = systems
    case .passes(let configurations):
      systems = []
      polling = .iso14443a
      searchedApplications = []
      searchedSystems = []
      guard let problem = PassConfiguration.problem(in: configurations) else { break }
      throw NFCReaderError(
        .readerErrorInvalidParameter, userInfo: [NSLocalizedFailureReasonErrorKey: problem])
    }
  }

  /// Returns the entries that a configuration names, each once; `nil` stands for one that makes no sense.
  private static func chosen<Entry: Equatable>(
    _ named: [Entry?], of listed: [Entry], onlyListed: Bool
  ) -> [Entry] {
    guard !named.isEmpty else { return listed }
    return named.reduce(into: []) { chosen, entry in
      guard let entry, !chosen.contains(entry), !onlyListed || listed.contains(entry) else {
        return
      }
      chosen.append(entry)
    }
  }

  /// Whether the session searches for ISO 7816 cards but cannot report any.
  var lacksApplications: Bool {
    guard case .tags(let configuration) = purpose else { return false }
    let options = configuration.pollingOption
    return options.contains(.iso14443) && !options.contains(.pace) && searchedApplications.isEmpty
      && limits.requiresListedApplications
  }
}

extension PollingOptions {
  /// The technologies of tags that can hold a message: NFC Forum types 1 to 5, and MIFARE Classic.
  fileprivate static let messages: PollingOptions = [.iso14443, .iso18092, .jewel, .iso15693]

  init(_ options: NFCTagReaderSession.PollingOption) {
    self = []
    if !options.isDisjoint(with: [.iso14443, .pace]) { insert(.iso14443) }
    if options.contains(.iso15693) { insert(.iso15693) }
    if options.contains(.iso18092) { insert(.iso18092) }
  }
}
