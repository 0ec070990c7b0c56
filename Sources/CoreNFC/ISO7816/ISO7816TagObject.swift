import Foundation
import NFC

/// A smart card that a session gives out.
final class ISO7816TagObject: TypedTagObject, NFCISO7816Tag, @unchecked Sendable {
  let card: any ISO7816Tag
  /// The application that was selected when the card was found.
  private let selected: ApplicationIdentifier?
  /// What may be selected; `nil` for anything.
  private let allowed: [ApplicationIdentifier]?

  init(
    _ card: any ISO7816Tag, selected: ApplicationIdentifier? = nil,
    _ request: SessionRequest? = nil,
    in core: SessionCore
  ) {
    self.card = card
    self.selected = selected
    allowed = request.flatMap { $0.limits.requiresListedApplications ? $0.applications : nil }
    super.init(card, .iso7816Compatible, in: core)
  }

  required init?(coder: NSCoder) { nil }

  override var tag: NFCTag? { .iso7816(self) }

  /// Another tag may have been activated since the card was found: what was selected no longer is.
  override func prepare() async throws {
    if let selected { _ = try await card.selectApplication(of: [selected]) }
  }

  var initialSelectedAID: String { selected.map(\.description) ?? "" }
  var identifier: Data { Data(card.identifier) }
  var historicalBytes: Data? { card.historicalBytes.isEmpty ? nil : Data(card.historicalBytes) }
  var applicationData: Data? { card.applicationData.map { Data($0) } }

  /// Bits 4 and 3 of the third byte of the protocol information: 00 for a coding of the card's own
  /// (ISO/IEC 14443-3, 7.9.4.5).
  var proprietaryApplicationDataCoding: Bool {
    guard let information = card.protocolInfo, information.count == 3 else { return false }
    return information[2] & 0x0C == 0
  }

  func sendCommand(
    apdu: NFCISO7816APDU,
    completionHandler: @escaping @Sendable (Data, UInt8, UInt8, (any Error)?) -> Void
  ) {
    let command = apdu.native
    perform { [card, allowed] in
      try command.checkLengths()
      try command.checkSelection(allowed)
      return try await card.sendCommand(command, options: command.isExtended ? .automatic : .raw)
    } completion: { result in
      result.complete(completionHandler)
    }
  }
}

extension APDU {
  /// - Throws: `readerErrorInvalidParameterLength`, `readerErrorParameterOutOfBound`.
  func checkLengths() throws {
    guard data.count <= 65_535 else {
      throw NFCReaderError(.readerErrorInvalidParameterLength)
    }
    guard (1...65_536).contains(expectedLength ?? 1) else {
      throw NFCReaderError(.readerErrorParameterOutOfBound)
    }
  }

  /// SELECT by the name of an application (ISO/IEC 7816-4, 7.1.1).
  private var isSelectionByName: Bool { instructionCode == 0xA4 && p1 == 0x04 }

  /// - Parameter allowed: what may be selected; `nil` for anything.
  fileprivate func checkSelection(_ allowed: [ApplicationIdentifier]?) throws {
    guard let allowed, isSelectionByName, !allowed.contains(where: { $0.bytes == data }) else {
      return
    }
    throw NFCReaderError(
      violating: NFCInformation.Key.applicationIdentifiers,
      "does not list the application \(data.hexadecimal)")
  }
}

extension Result where Success == ResponseAPDU, Failure == any Error {
  func complete(_ completionHandler: (Data, UInt8, UInt8, (any Error)?) -> Void) {
    switch self {
    case .success(let answer):
      completionHandler(Data(answer.data), answer.sw1, answer.sw2, nil)
    case .failure(let error): completionHandler(Data(), 0, 0, error)
    }
  }
}
