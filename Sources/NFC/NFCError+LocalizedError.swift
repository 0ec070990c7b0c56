#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `localizedDescription` is the same as `description`, in English.
extension NFCError: LocalizedError {
  public var errorDescription: String? { description }
}

/// `localizedDescription` is the same as `description`, in English.
extension NDEFError: LocalizedError {
  public var errorDescription: String? { description }
}
