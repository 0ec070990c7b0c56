#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `localizedDescription` is what `description` is, in English.
extension NFCError: LocalizedError {
  public var errorDescription: String? { description }
}

/// `localizedDescription` is what `description` is, in English.
extension NDEFError: LocalizedError {
  public var errorDescription: String? { description }
}
