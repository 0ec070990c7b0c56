#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The date of an event, to the millisecond.
struct EventDate: Hashable, Sendable {
  /// The milliseconds since 1970-01-01 in UTC.
  let milliseconds: Int64

  init(milliseconds: Int64) { self.milliseconds = milliseconds }

  static var now: EventDate {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return EventDate(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }

  /// The date in UTC as programs write it (RFC 3339): `2026-11-28T15:04:03.120Z`.
  var utc: String { text("%Y-%m-%dT%H:%M:%S", gmtime_r) + ".\(Self.padded(remainder))Z" }

  /// The date at this place, for people: `2026-11-28 16:04:03`.
  var local: String { text("%Y-%m-%d %H:%M:%S", localtime_r) }

  private var seconds: Int64 { (milliseconds - remainder) / 1000 }
  private var remainder: Int64 { (milliseconds % 1000 + 1000) % 1000 }

  private static func padded(_ number: Int64) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 3 - digits.count)) + digits
  }

  private func text(
    _ format: String,
    _ convert: (UnsafePointer<time_t>, UnsafeMutablePointer<tm>) -> UnsafeMutablePointer<tm>?
  ) -> String {
    var time = time_t(seconds)
    var parts = tm()
    guard convert(&time, &parts) != nil else { return "" }
    var buffer = [CChar](repeating: 0, count: 64)
    let count = strftime(&buffer, buffer.count, format, &parts)
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
