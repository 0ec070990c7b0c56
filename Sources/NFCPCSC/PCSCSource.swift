import SwiftNFCCore
import SwiftNFCSystemFacts

/// The readers of a PC/SC service.
package struct PCSCSource: ReaderSource {
  /// Creates a connection to the service.
  package typealias Service = @Sendable () throws(SmartCardFailure) -> any SmartCardService

  /// The system's.
  package static let system: Service = { () throws(SmartCardFailure) in try PCSCLite() }

  let service: Service

  package let name = "the PC/SC service"
  package var schemes: [String] { [String(PCSCDriver.scheme.dropLast())] }
  package let isShared = true

  package init(_ service: @escaping Service = system) { self.service = service }

  package func readers() -> [FoundReader] { Self.found(PCSCDriver.list(of: service)) }

  package func availabilityError() -> NFCError? { PCSCDriver.availabilityError(of: service) }

  package func open(_ address: ReaderAddress) throws -> any ReaderDriver {
    try PCSCDriver.open(address.rest ?? "", of: service)
  }

  package func watch(naming addresses: [ReaderAddress]) -> any ReaderSourceWatch {
    Watch(service)
  }

  package func advice(forSilenceOf address: ReaderAddress) -> String {
    "plug it in again, or sudo systemctl restart pcscd"
  }

  package func advice(forInvalid address: ReaderAddress) -> String? {
    // The second is libnfc's own driver for such readers, which this program does not use.
    guard (schemes + ["acr122_pcsc"]).contains(address.scheme.lowercased()) else { return nil }
    return "for a PC/SC reader write \(PCSCDriver.scheme) and a part of its name"
  }

  package func drivesUSBDevice(vendor: UInt16, product: UInt16) -> Bool {
    let identifiers = USBDevice.identifiers(vendor, product)
    return LibCCID.names[identifiers] != nil || DriverBundles(.own).name(identifiers) != nil
  }

  private static func found(_ connectionStrings: [String]) -> [FoundReader] {
    connectionStrings.map { text in
      FoundReader(ReaderAddress(text), name: String(text.dropFirst(PCSCDriver.scheme.count)))
    }
  }

  private final class Watch: ReaderSourceWatch {
    private let service: PCSCReaders

    init(_ service: @escaping Service) { self.service = PCSCReaders(service) }

    func readers() -> [FoundReader] { PCSCSource.found(service.list()) }
    func wait(atMost timeout: Duration) -> Bool { service.wait(atMost: timeout) }
    var cancel: @Sendable () -> Void { service.cancel }
  }
}
