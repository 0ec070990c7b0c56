import Foundation
import Testing
import VirtualNFC

@testable import SwiftNFCLibNFC

/// Tests which of the process's descriptors is taken for libnfc's.
@Suite struct LineTests {
  private static func descriptor(of line: Line?) -> Int32? {
    var found: Int32?
    line?.withDescriptor { found = $0 }
    return found
  }

  /// Another thread looks at the port, or the reader that was lost keeps its terminal: such descriptors have lower
  /// numbers, and are not the one through which a call that does not end is ended.
  @Test func isLibnfcs() throws {
    let reader = try VirtualReader(VirtualField())
    let ours = open(reader.path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    defer { close(ours) }
    #expect(Self.descriptor(of: Line(to: reader.path, excluding: nil)) == ours)
    #expect(Line(to: reader.path, excluding: ours) == nil)

    // As libnfc opens a port (uart.c).
    let opened = open(reader.path, O_RDWR | O_NOCTTY | O_NONBLOCK)
    let libnfcs = fcntl(opened, F_DUPFD, ours + 1)
    close(opened)
    defer { close(libnfcs) }
    try #require(ours >= 0 && libnfcs > ours)
    #expect(Self.descriptor(of: Line(to: reader.path, excluding: nil)) == libnfcs)
    #expect(fcntl(libnfcs, F_GETFD) & FD_CLOEXEC != 0)
  }
}
