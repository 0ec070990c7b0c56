/// An application that was selected, and its answer.
public struct SelectedApplication: Hashable, Sendable {
  /// The identifier that was used to select it.
  public var aid: ApplicationIdentifier
  /// The file control information and the status word.
  public var response: ResponseAPDU

  /// Creates an application with the answer to its SELECT.
  public init(aid: ApplicationIdentifier, response: ResponseAPDU) {
    self.aid = aid
    self.response = response
  }
}

extension ISO7816Procedure {
  /// Selects the first application of a list that the card has.
  func selectApplication(of aids: [ApplicationIdentifier]) throws -> SelectedApplication {
    guard !aids.isEmpty else {
      throw NFCError(.invalidParameter, "no application identifier was given")
    }
    var refusals: [String] = []
    var last: UInt16?
    for aid in aids {
      let response = try send(.select(aid: aid), .automatic)
      switch response.status.group {
      case .success, .moreData, .warning:
        return SelectedApplication(aid: aid, response: response)
      case .executionError, .checkingError, .proprietary:
        refusals.append("\(aid): \(response.status)")
        last = response.statusWord
      }
    }
    throw NFCError(
      .wrongTag, "no application answers to " + refusals.joined(separator: ", "),
      cause: last.map { .statusWord($0) })
  }
}
