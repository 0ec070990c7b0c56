import Foundation
import NFC
import Synchronization

/// A FeliCa card that a session reports.
final class FeliCaTagObject: TypedTagObject, NFCFeliCaTag, @unchecked Sendable {
  private struct Selection: Sendable {
    /// The card by the system that was selected last.
    var card: any FeliCaTag
    /// Whether that system has answered the last polling.
    var hasAnswered = true
  }

  private let selection: Mutex<Selection>
  /// Which systems may be selected; `nil` for any.
  private let request: SessionRequest?

  init(_ tag: any FeliCaTag, _ request: SessionRequest? = nil, in core: SessionCore) {
    selection = Mutex(Selection(card: tag))
    self.request = request
    super.init(tag, .feliCa, in: core)
  }

  required init?(coder: NSCoder) { nil }

  override var tag: NFCTag? { .feliCa(self) }

  var currentSystemCode: Data { Data(card.systemCode) }
  var currentIDm: Data { selection.withLock { $0.hasAnswered ? Data($0.card.idm) : Data() } }

  /// The card by the system that was selected last, whether that has answered or not.
  var card: any FeliCaTag { selection.withLock { $0.card } }

  /// Returns the card by its current system.
  ///
  /// - Throws: `readerTransceiveErrorTagResponseError` if there is no system to send a command to.
  func selectedCard() throws -> any FeliCaTag {
    try selection.withLock { selection in
      guard selection.hasAnswered else {
        throw NFCReaderError(.readerTransceiveErrorTagResponseError)
      }
      return selection.card
    }
  }

  func polling(
    systemCode: Data, requestCode: NFCFeliCaPollingRequestCode, timeSlot: NFCFeliCaPollingTimeSlot,
    completionHandler: @escaping @Sendable (Data, Data, (any Error)?) -> Void
  ) {
    perform { [self] in
      let code = try FeliCaParameter.systemCode(systemCode)
      try checkListed(code, systemCode)
      return try await select(
        code, FeliCaRequestCode(requestCode), FeliCaTimeSlots(timeSlot))
    } completion: { result in
      switch result {
      case .success(let answer):
        completionHandler(Data(answer.pmm), Data(answer.requestData), nil)
      case .failure(let error): completionHandler(Data(), Data(), error)
      }
    }
  }

  /// - Throws: `readerErrorSecurityViolation`. A wildcard is in no list.
  private func checkListed(_ code: UInt16, _ systemCode: Data) throws {
    guard let request, request.limits.requiresListedSystems, !request.systems.contains(code)
    else { return }
    throw NFCReaderError(
      violating: NFCInformation.Key.systemCodes,
      "does not list the FeliCa system \(systemCode.hexadecimal)")
  }

  private func select(
    _ code: UInt16, _ requestCode: FeliCaRequestCode, _ timeSlots: FeliCaTimeSlots
  ) async throws -> FeliCaPollingAnswer {
    do {
      let card = card
      let answer = try await card.polling(
        systemCode: code, requestCode: requestCode, timeSlots: timeSlots)
      guard answer.isSystem(ofCard: card.idm) else {
        throw NFCError(.tagResponseError, "another card has answered")
      }
      let system = FeliCaSystem(
        code: answer.systemCode(askedFor: code, requestCode), idm: answer.idm, pmm: answer.pmm)
      selection.withLock { $0 = Selection(card: card.inSystem(system)) }
      return answer
    } catch {
      selection.withLock { $0.hasAnswered = false }
      throw error
    }
  }
}

extension FeliCaPollingAnswer {
  /// Returns the code of the system that has answered; the requested one, if the card does not
  /// report it.
  fileprivate func systemCode(askedFor code: UInt16, _ requestCode: FeliCaRequestCode) -> UInt16 {
    guard requestCode == .systemCode, requestData.count == 2 else { return code }
    return UInt16(requestData[0]) << 8 | UInt16(requestData[1])
  }
}

extension FeliCaRequestCode {
  fileprivate init(_ code: NFCFeliCaPollingRequestCode) {
    switch code {
    case .noRequest: self = .noRequest
    case .systemCode: self = .systemCode
    case .communicationPerformance: self = .communicationPerformance
    }
  }
}

extension FeliCaTimeSlots {
  fileprivate init(_ slots: NFCFeliCaPollingTimeSlot) {
    switch slots {
    case .max1: self = .one
    case .max2: self = .two
    case .max4: self = .four
    case .max8: self = .eight
    case .max16: self = .sixteen
    }
  }
}
