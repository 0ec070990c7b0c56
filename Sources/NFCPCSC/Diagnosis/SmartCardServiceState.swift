import SwiftNFCCore

/// The state of the PC/SC service.
package enum SmartCardServiceState: Sendable {
  /// It is running; the connection strings of its readers.
  case shows([String])
  /// It cannot be reached.
  case unreachable(NFCError)
  /// It was not asked, because asking would start it, and it would take a reader that another
  /// source drives.
  case notQueried

  var readers: [String] {
    if case .shows(let names) = self { return names }
    return []
  }
}
