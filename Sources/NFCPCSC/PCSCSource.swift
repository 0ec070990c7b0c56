import NFCCore

/// The readers of the system's PC/SC service.
package struct PCSCSource: ReaderSource {
  package let name = "the PC/SC service"
  package var schemes: [String] { [String(PCSCDriver.scheme.dropLast())] }
  package let isShared = true

  package init() {}

  package func readers() -> [FoundReader] { Self.found(PCSCDriver.list()) }

  package func obstacle() -> NFCError? { PCSCDriver.obstacle() }

  package func open(_ address: ReaderAddress) throws -> any ReaderDriver {
    try PCSCDriver.open(address.rest ?? "")
  }

  package func watch(naming addresses: [ReaderAddress]) -> any ReaderSourceWatch { Watch() }

  package func advice(forSilenceOf address: ReaderAddress) -> String {
    "plug it in again, or sudo systemctl restart pcscd"
  }

  private static func found(_ connectionStrings: [String]) -> [FoundReader] {
    connectionStrings.map { text in
      FoundReader(ReaderAddress(text), name: String(text.dropFirst(PCSCDriver.scheme.count)))
    }
  }

  private final class Watch: ReaderSourceWatch {
    private let service = PCSCReaders()

    func readers() -> [FoundReader] { PCSCSource.found(service.list()) }
    func wait(atMost timeout: Duration) -> Bool { service.wait(atMost: timeout) }
    var cancel: @Sendable () -> Void { service.cancel }
  }
}
