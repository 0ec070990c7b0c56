#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Pauses background reading while a program needs the reader.
///
/// `nfc watch` listens under a name for each reader that it watches. A program that connects
/// receives one byte when the reader is free, and can use it for as long as the connection lasts.
package final class ReaderLease: Sendable {
  private static let prefix = "lease-"
  private static let granted: UInt8 = 0x06
  private let sockets: [LocalSocket]

  private init(_ sockets: [LocalSocket]) { self.sockets = sockets }

  /// The time that all watchers together have to close their readers.
  private static let patience = Duration.seconds(3)

  /// Asks every watcher of this user for its readers, and waits until they are free, a few seconds at
  /// most.
  ///
  /// - Returns: a lease to keep for as long as the readers are needed; `nil` if nobody watches. A watcher that
  ///   has not released its reader in time does so as soon as it can, and keeps it closed for this lease.
  package static func take() -> ReaderLease? {
    guard let folder = try? RuntimeFolder.make(),
      let names = try? FileManager.default.contentsOfDirectory(atPath: folder)
    else { return nil }
    let deadline = ContinuousClock.now + patience
    // All are asked first, so that they close their readers at the same time.
    let sockets = names.filter { $0.hasPrefix(prefix) }
      .compactMap { LocalSocket.connect(to: "\(folder)/\($0)", before: deadline) }
      .filter { $0.receive(1, before: deadline) != nil || !$0.isClosed }
    return sockets.isEmpty ? nil : ReaderLease(sockets)
  }

  /// The watcher's side: listens for programs that need a reader.
  package static func listen(
    for reader: String
  ) throws(RuntimeFolder.Unusable) -> LocalSocket? {
    let folder = try RuntimeFolder.make()
    let space = LocalSocket.longestPath - "\(folder)/\(prefix).socket".utf8.count
    return LocalSocket.listen(at: "\(folder)/\(prefix)\(shortened(reader, to: space)).socket")
  }

  /// Returns a reader's name, or its beginning and a number that differs for another name.
  private static func shortened(_ name: String, to length: Int) -> String {
    guard name.utf8.count > length else { return name }
    // FNV-1a (the Internet-Draft draft-eastlake-fnv) with 64 bits, which is the same in every process.
    let number = name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { number, byte in
      (number ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }
    let digits = "-" + String(number, radix: 16)
    return String(name.prefix(max(0, length - digits.utf8.count))) + digits
  }

  /// The watcher's side: reports over a connection that the reader is free.
  package static func grant(_ connection: LocalSocket) -> Bool { connection.send([granted]) }
}
