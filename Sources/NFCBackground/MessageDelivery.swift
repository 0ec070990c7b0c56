import Dispatch

/// Transfers the message of a tag from `nfc watch` to a program: over a local socket with the
/// program's name, four bytes of length (most significant first), the NDEF message, and one byte
/// back when the program has received it.
package enum MessageDelivery {
  /// Longer messages are not delivered.
  package static let longestMessage = 1 << 20
  private static let acknowledgement: UInt8 = 0x06

  private static func path(_ application: String, _ folder: String) -> String {
    "\(folder)/\(application).socket"
  }

  /// Hands a message to a program that runs, on a thread that may block: a program that does not
  /// respond takes several seconds.
  ///
  /// - Returns: whether the program has received it; also `false` if no program with this name is
  ///   running.
  package static func send(_ message: [UInt8], to application: String) async -> Bool {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "nfc.delivery").async {
        continuation.resume(returning: sendBlocking(message, to: application))
      }
    }
  }

  private static func sendBlocking(_ message: [UInt8], to application: String) -> Bool {
    guard message.count <= longestMessage, let folder = try? RuntimeFolder.make(),
      let socket = LocalSocket.connect(to: path(application, folder))
    else { return false }
    let length = (0..<4).map { UInt8(truncatingIfNeeded: message.count >> (8 * (3 - $0))) }
    return socket.send(length + message) && socket.receive(1) == [acknowledgement]
  }

  /// Listens for messages to a program.
  ///
  /// - Returns: `nil` if another process of this user does already.
  package static func listen(_ application: String) throws(RuntimeFolder.Unusable) -> LocalSocket? {
    let path = path(application, try RuntimeFolder.make())
    guard LocalSocket.connect(to: path) == nil else { return nil }
    return LocalSocket.listen(at: path)
  }

  /// Reads the message of one connection; `nil` if it is incomplete.
  package static func receive(from listener: LocalSocket) -> [UInt8]? {
    guard let socket = listener.accept(), let head = socket.receive(4) else { return nil }
    let length = head.reduce(0) { $0 << 8 | Int($1) }
    guard length <= longestMessage, let message = socket.receive(length),
      socket.send([acknowledgement])
    else { return nil }
    return message
  }
}
