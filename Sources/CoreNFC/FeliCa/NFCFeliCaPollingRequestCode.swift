/// The data that a card sends in addition to its PMm when it is polled.
public enum NFCFeliCaPollingRequestCode: Int, Sendable {
  /// Nothing.
  case noRequest = 0
  /// The system code.
  case systemCode = 1
  /// The bit rates that the card supports.
  case communicationPerformance = 2
}

/// The names of iOS 13.
// swift-format-ignore: AlwaysUseLowerCamelCase
extension NFCFeliCaPollingRequestCode {
  /// ``noRequest``
  public static var PollingRequestCodeNoRequest: Self { .noRequest }
  /// ``systemCode``
  public static var PollingRequestCodeSystemCode: Self { .systemCode }
  /// ``communicationPerformance``
  public static var PollingRequestCodeCommunicationPerformance: Self { .communicationPerformance }
}

/// The name of iOS 13.
public typealias PollingRequestCode = NFCFeliCaPollingRequestCode
