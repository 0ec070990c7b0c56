#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A pause of a thread that plays a device.
public enum PhonePause {
  public static func milliseconds(_ count: UInt32) { usleep(count * 1000) }
}
