/// The protocol between a program and the process that has its reader open.
///
/// Two socket pairs connect them. On the first one, the helper begins with a greeting, and then
/// answers each request with one response, in order. A message consists of its length in four
/// bytes, the number of the request in eight, and its content; most significant bytes first. On the
/// second one, the program sends the number of a request that is to be aborted, in eight bytes.
/// When a socket is closed, either side assumes that the other has ended.
///
/// ```
///   program                       helper (one per reader)
///   IsolatedDriver  ─ request ─▶  HelperService ─▶ LibNFCDriver ─▶ libnfc
///                  ◀─ response ─
///                   ─ abort ───▶  (on a thread of its own)
/// ```
package enum HelperProtocol {
  /// The version changes with every change of the messages. Program and helper must have the same
  /// version.
  package static let version: UInt16 = 5

  /// The first bytes that a helper sends, before the version: `NFCR`.
  static let magic: [UInt8] = [0x4E, 0x46, 0x43, 0x52]
  static let greetingLength = magic.count + 2

  /// The maximum length, which no message reaches: an address has 1024 bytes, a command and an
  /// answer at most 64 KiB, and a search finds 16 tags.
  static let maximumLength = 1 << 17

  /// The descriptors on which the helper finds its sockets.
  package static let requests: Int32 = 0
  package static let aborts: Int32 = 1

  static func greeting(_ version: UInt16 = version) -> [UInt8] {
    magic + [UInt8(version >> 8), UInt8(version & 0xFF)]
  }

  /// Returns a message in the form for the socket.
  static func frame(_ number: UInt64, _ content: (inout MessageWriter) -> Void) -> [UInt8] {
    var message = MessageWriter()
    message.number(number)
    content(&message)
    var frame = MessageWriter()
    frame.block(message.bytes)
    return frame.bytes
  }
}
