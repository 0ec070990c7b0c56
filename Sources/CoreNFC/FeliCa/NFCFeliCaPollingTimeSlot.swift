/// The number of time slots from which cards choose theirs.
public enum NFCFeliCaPollingTimeSlot: Int, Sendable {
  case max1 = 0
  case max2 = 1
  case max4 = 3
  case max8 = 7
  case max16 = 15
}

/// The names of iOS 13.
// swift-format-ignore: AlwaysUseLowerCamelCase
extension NFCFeliCaPollingTimeSlot {
  public static var PollingTimeSlotMax1: Self { .max1 }
  public static var PollingTimeSlotMax2: Self { .max2 }
  public static var PollingTimeSlotMax4: Self { .max4 }
  public static var PollingTimeSlotMax8: Self { .max8 }
  public static var PollingTimeSlotMax16: Self { .max16 }
}

/// The name of iOS 13.
public typealias PollingTimeSlot = NFCFeliCaPollingTimeSlot
