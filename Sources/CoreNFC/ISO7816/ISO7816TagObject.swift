import Foundation
import NFC

/// A smart card that a session reports.
final class ISO7816TagObject: TypedTagObject, NFCISO7816Tag, @unchecked Sendable {
  let card: any ISO7816Tag
  /// The application that was selected when the card was found.
  private let selected: ApplicationIdentifier?
  /// What may be selected; `nil` for anything.
  private let request: SessionRequest?
  let supportsPACE: Bool

  init(
    _ card: any ISO7816Tag, selected: ApplicationIdentifier? = nil,
    _ request: SessionRequest? = nil, supportsPACE: Bool = false,
    in core: SessionCore
  ) {
    self.card = card
    self.selected = selected
    self.request = request
    self.supportsPACE = supportsPACE
    super.init(card, .iso7816Compatible, in: core)
  }

  required init?(coder: NSCoder) { nil }

  override var tag: NFCTag? { .iso7816(self) }

  /// Another tag may have been activated since the card was found, so that the application is no
  /// longer selected.
  override func prepare() async throws {
    if let selected { _ = try await card.selectApplication(of: [selected]) }
  }

  var initialSelectedAID: String { selected?.description ?? "" }
  var identifier: Data { Data(card.identifier) }
  var historicalBytes: Data? {
    card.historicalBytes.isEmpty ? nil : Data(card.historicalBytes)
  }
  var applicationData: Data? { card.applicationData.map { Data($0) } }

  /// Application data coding: bits 3 and 4 of the third byte of protocol info, 00 for a proprietary one
  /// (ISO/IEC 14443-3, 7.9.4).
  private static let codingBits: UInt8 = 0x0C

  var proprietaryApplicationDataCoding: Bool {
    guard let info = card.protocolInfo, info.count >= 3 else { return false }
    return info[2] & Self.codingBits == 0
  }

  func sendCommand(
    apdu: NFCISO7816APDU,
    completionHandler: @escaping @Sendable (Data, UInt8, UInt8, (any Error)?) -> Void
  ) {
    let command = Result { try apdu.native() }
    perform { [self] in
      let command = try command.get()
      try checkListed(command)
      return try await card.transmit(command)
    } completion: {
      $0.complete(completionHandler)
    }
  }

  /// - Throws: `readerErrorSecurityViolation` for SELECT of an application that Info.plist does not
  ///   list.
  private func checkListed(_ command: APDU) throws {
    guard let request, request.limits.requiresListedApplications, command.selectsByName,
      !request.applications.contains(where: { $0.bytes == command.data })
    else { return }
    throw NFCReaderError(
      violating: NFCInformation.Key.applicationIdentifiers,
      "does not list the application \(command.data.hexadecimal)")
  }
}

extension APDU {
  /// SELECT, and its P1 for a choice by name: ISO/IEC 7816-4, 7.1.1. With secure messaging, the name cannot
  /// be read: passports are opened in this way after PACE (ICAO Doc 9303-11, 4.4).
  fileprivate var selectsByName: Bool {
    instructionCode == 0xA4 && p1 == 0x04 && !hasSecureMessaging
  }

  /// The bits of interindustry class bytes for secure messaging: ISO/IEC 7816-4, 5.4.1.
  private var hasSecureMessaging: Bool {
    switch instructionClass {
    case 0x00..<0x20: instructionClass & 0x0C != 0
    case 0x40..<0x80: instructionClass & 0x20 != 0
    default: false
    }
  }
}

extension ISO7816Tag {
  /// Sends a command like an iPhone, which leaves the status word to the program; in parts only if
  /// there is no other way.
  func transmit(_ command: APDU) async throws -> ResponseAPDU {
    try await sendCommand(
      command, options: command.isExtended ? [.commandChaining, .getResponse] : .commandChaining)
  }
}

extension Result where Success == ResponseAPDU, Failure == any Error {
  /// Passes a card's answer to a completion handler.
  func complete(_ handler: (Data, UInt8, UInt8, (any Error)?) -> Void) {
    switch self {
    case .success(let answer): handler(Data(answer.data), answer.sw1, answer.sw2, nil)
    case .failure(let error): handler(Data(), 0, 0, error)
    }
  }
}
