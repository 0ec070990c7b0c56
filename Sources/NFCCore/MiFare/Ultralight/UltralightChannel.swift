/// An authentication that a higher module has made with an Ultralight tag, and the protection of
/// the commands after it. This module knows the commands; that one knows the keys and ciphers.
///
/// A channel belongs to one tag. It is used on the reader's thread, by one procedure at a time.
package protocol UltralightChannel: AnyObject, Sendable {
  /// Proves the key to a tag that was selected again. Sends with ``TagLink/sendUltralight(_:)``.
  func prove(_ link: TagLink) throws

  /// Ends the authentication, because the tag was selected again.
  func end()

  /// Whether the tag has forgotten the authentication, so that it has to be repeated before the
  /// next command.
  var isEnded: Bool { get }

  /// Returns a command in its form over the air, without CRC_A; `nil` if it is sent unchanged.
  ///
  /// - Throws: if an answer was not the tag's: nothing more is sent until the key is proved again.
  func protect(_ command: [UInt8]) throws -> [UInt8]?

  /// Returns the answer to a protected command, checked and without its protection; an empty one in
  /// place of an acknowledge.
  ///
  /// - Throws: `tagResponseError` for an answer that is not the tag's, or not to this command.
  func unprotect(_ answer: [UInt8]) throws -> [UInt8]

  /// How many bytes it adds to each answer.
  var overhead: Int { get }
}

/// A channel as a value: equal to itself only.
struct UltralightChannelReference: Hashable, Sendable {
  let channel: any UltralightChannel

  static func == (first: Self, second: Self) -> Bool { first.channel === second.channel }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(channel)) }
}

extension TagLink {
  /// Sends a command of an Ultralight tag without any protection, and returns the answer without
  /// CRC_A: one exchange.
  package func sendUltralight(_ command: [UInt8]) throws -> [UInt8] {
    try UltralightExchange.send(command, protectedBy: nil, self)
  }

  /// Halts an Ultralight tag and selects it again, so that new keys and settings take effect: two
  /// exchanges. This ends its authentication.
  package func restartUltralight() throws {
    try UltralightProcedure.halt(self)
    try selectPlainly()
  }
}

extension UltralightCommands {
  /// Authenticates with a channel, which then protects every later command while the tag is
  /// connected.
  package func open(_ channel: any UltralightChannel) async throws {
    let handle = handle
    try await handle.performCommand { link in
      handle.knowledge.withLock { $0.authentication = nil }
      channel.end()
      try channel.prove(link)
      handle.knowledge.withLock {
        $0.authentication = .channel(UltralightChannelReference(channel: channel))
      }
    }
  }

  /// Runs a procedure with commands of the family. An authenticated channel that it returns is
  /// kept; `nil` for none.
  package func run<Result: Sendable>(
    _ body: @Sendable (TagLink) throws -> (Result, (any UltralightChannel)?)
  ) async throws -> Result {
    let handle = handle
    return try await handle.performCommand { link in
      handle.knowledge.withLock {
        $0.authentication = nil
        $0.wasSelected()
      }
      let (result, channel) = try body(link.protected(by: nil))
      if let channel {
        handle.knowledge.withLock {
          $0.authentication = .channel(UltralightChannelReference(channel: channel))
        }
      }
      return result
    }
  }
}

extension TagLink {
  /// READ: sixteen bytes from a page on, under the channel that the link has: one exchange.
  package func readUltralight(page: UInt8) throws -> [UInt8] {
    try UltralightExchange.send(.read(page: page), self)
  }

  /// WRITE of four bytes, under the channel that the link has: one exchange, and some to find out what became of it if
  /// it was not acknowledged.
  ///
  /// - Parameter isSecret: whether nobody can read the page: a part of a key.
  /// - Throws: `readOnly` for a page that is locked or protected.
  package func writeUltralight(_ data: [UInt8], page: UInt8, isSecret: Bool = false) throws {
    if isSecret {
      try UltralightProcedure.write(secret: data, to: page, self)
    } else {
      try UltralightProcedure.write(data, to: page, self)
    }
  }
}
