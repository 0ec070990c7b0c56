import NFCCore

/// The readers of the system's PC/SC service.
public struct PCSCSource: ReaderSource {
  public let name = "the PC/SC service"
  public var schemes: [String] { [String(PCSCDriver.scheme.dropLast())] }
  public let isShared = true

  public init() {}

  public func readers() -> [FoundReader] { Self.found(PCSCDriver.list()) }

  public func obstacle() -> NFCError? { PCSCDriver.obstacle() }

  public func open(_ address: ReaderAddress) throws -> any ReaderDriver {
    try PCSCDriver.open(address.rest ?? "")
  }

  public func watch(naming addresses: [ReaderAddress]) -> any ReaderSourceWatch { Watch() }

  public func advice(forSilenceOf address: ReaderAddress) -> String {
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
