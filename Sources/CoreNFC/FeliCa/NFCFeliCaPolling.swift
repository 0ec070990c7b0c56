/// What a card is to send besides its PMm when it is polled.
public enum NFCFeliCaPollingRequestCode: Int, Sendable {
  case noRequest = 0
  case systemCode = 1
  case communicationPerformance = 2
}

/// Among how many slots of time cards draw theirs.
public enum NFCFeliCaPollingTimeSlot: Int, Sendable {
  case max1 = 0
  case max2 = 1
  case max4 = 3
  case max8 = 7
  case max16 = 15
}

/// The names of iOS 13.
public typealias PollingRequestCode = NFCFeliCaPollingRequestCode
public typealias PollingTimeSlot = NFCFeliCaPollingTimeSlot

// swift-format-ignore: AlwaysUseLowerCamelCase
extension NFCFeliCaPollingRequestCode {
  public static var PollingRequestCodeNoRequest: Self { .noRequest }
  public static var PollingRequestCodeSystemCode: Self { .systemCode }
  public static var PollingRequestCodeCommunicationPerformance: Self { .communicationPerformance }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
extension NFCFeliCaPollingTimeSlot {
  public static var PollingTimeSlotMax1: Self { .max1 }
  public static var PollingTimeSlotMax2: Self { .max2 }
  public static var PollingTimeSlotMax4: Self { .max4 }
  public static var PollingTimeSlotMax8: Self { .max8 }
  public static var PollingTimeSlotMax16: Self { .max16 }
}
