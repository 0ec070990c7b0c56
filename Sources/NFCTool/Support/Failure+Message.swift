import NFC
import SwiftNFCJSONText
import TagTools

extension Failure {
  init(broken error: any Error) { self.init(.content, "the NDEF message is broken: \(error)") }

  /// The code and the reason.
  var json: JSONValue {
    .members(["code": .integer(status.rawValue), "message": .string(reason)])
  }
}

extension Failure {
  /// Creates the failure that `nfc read` ends with.
  init(_ problem: TagReport.MessageProblem) {
    switch problem {
    case .broken(let error): self.init(broken: error)
    case .notReadable(let error): self.init(error)
    }
  }
}
