import SwiftNFCIsolated

/// Readers that libnfc drives in processes of their own.
package enum IsolatedReaders {
  /// Whether the program for such a process is installed.
  package static var areAvailable: Bool { HelperAvailability.isAvailable }
}
