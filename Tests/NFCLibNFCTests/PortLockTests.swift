import Foundation
import SwiftNFCCore
import Testing
import VirtualNFC

@testable import SwiftNFCLibNFC

/// A port is locked while a reader uses it, and free immediately afterwards.
@Suite struct PortLockTests {
  /// Starts programs, one after the other, as long as the object exists.
  private final class Starter: Sendable {
    init() {
      Thread.detachNewThread { [weak self] in
        while self != nil {
          var process = pid_t()
          var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
          guard posix_spawn(&process, "/bin/true", nil, nil, &arguments, nil) == 0 else { return }
          free(arguments[0])
          var status: Int32 = 0
          waitpid(process, &status, 0)
        }
      }
    }
  }

  /// A program that another thread starts has, until it runs, a copy of every descriptor, and with it the lock.
  @Test func isFreeWhileProgramsAreStarted() throws {
    let reader = try VirtualReader(VirtualField())
    let path = try #require(reader.connectionString.split(separator: ":").dropFirst().first)
    let starters = (0..<3).map { _ in Starter() }
    for attempt in 1...3000 {
      let lock = try? PortLock(String(path), isSerialPort: true)
      try #require(lock != nil, "attempt \(attempt)")
    }
    withExtendedLifetime(starters) {}
  }

  @Test func isTakenByOneReader() throws {
    let reader = try VirtualReader(VirtualField())
    let path = String(
      try #require(reader.connectionString.split(separator: ":").dropFirst().first))
    let lock = try PortLock(path, isSerialPort: true)
    #expect(PortLock.isTaken(path))
    let error = #expect(throws: NFCError.self) { try PortLock(path, isSerialPort: true) }
    #expect(error?.code == .readerUnavailable)
    withExtendedLifetime(lock) {}
  }
}
