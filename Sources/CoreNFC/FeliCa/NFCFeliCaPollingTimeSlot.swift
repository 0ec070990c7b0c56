/// The number of time slots from which cards choose theirs.
public enum NFCFeliCaPollingTimeSlot: Int, Sendable {
  /// One time slot.
  case max1 = 0
  /// Two time slots.
  case max2 = 1
  /// Four time slots.
  case max4 = 3
  /// Eight time slots.
  case max8 = 7
  /// Sixteen time slots.
  case max16 = 15
}

/// The names of iOS 13.
// swift-format-ignore: AlwaysUseLowerCamelCase
extension NFCFeliCaPollingTimeSlot {
  /// ``max1``
  public static var PollingTimeSlotMax1: Self { .max1 }
  /// ``max2``
  public static var PollingTimeSlotMax2: Self { .max2 }
  /// ``max4``
  public static var PollingTimeSlotMax4: Self { .max4 }
  /// ``max8``
  public static var PollingTimeSlotMax8: Self { .max8 }
  /// ``max16``
  public static var PollingTimeSlotMax16: Self { .max16 }
}

/// The name of iOS 13.
public typealias PollingTimeSlot = NFCFeliCaPollingTimeSlot
