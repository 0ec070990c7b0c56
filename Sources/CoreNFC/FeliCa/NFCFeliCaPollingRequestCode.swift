/// The data that a card sends in addition to its PMm when it is polled.
public enum NFCFeliCaPollingRequestCode: Int, Sendable {
  case noRequest = 0
  case systemCode = 1
  case communicationPerformance = 2
}

/// The names of iOS 13.
// swift-format-ignore: AlwaysUseLowerCamelCase
extension NFCFeliCaPollingRequestCode {
  public static var PollingRequestCodeNoRequest: Self { .noRequest }
  public static var PollingRequestCodeSystemCode: Self { .systemCode }
  public static var PollingRequestCodeCommunicationPerformance: Self { .communicationPerformance }
}

/// The name of iOS 13.
public typealias PollingRequestCode = NFCFeliCaPollingRequestCode
