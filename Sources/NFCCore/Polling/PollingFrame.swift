/// A frame that a reader sends after each unanswered search, and that nothing answers: phones listen to the polling of a
/// reader, and this frame says what it is for (enhanced contactless polling). They then answer an ordinary search.
///
/// ```swift
/// try reader.setPollingFrames([.passesOnly])
/// ```
///
/// The frames of other systems are of the same kind: Home Key, access passes and identity cards on phones. A frame that
/// does not begin with 6A is sent as it is.
///
/// Source: kormax/apple-enhanced-contactless-polling. Apple does not publish it.
public struct PollingFrame: Hashable, Sendable {
  /// The technology of the search that the frame follows.
  public enum Technology: Hashable, Sendable, CaseIterable {
    /// ISO/IEC 14443 type A; the reader adds CRC_A.
    case typeA
    /// ISO/IEC 14443 type B; the reader adds CRC_B.
    case typeB

    /// The technology of the search.
    public var tagTechnology: TagTechnology { self == .typeA ? .iso14443a : .iso14443b }
  }

  /// The bytes without check bytes.
  public let bytes: [UInt8]
  /// The technology of the search that the frame follows.
  public let technology: Technology

  /// The maximum number of bytes: with two check bytes, the frame fits into the buffer of a PN53x's radio.
  public static let maximumLength = 62

  private static let mark: UInt8 = 0x6A
  private static let firstVersion: UInt8 = 0x01
  private static let secondVersion: UInt8 = 0x02
  private static let lengthOfFirstVersion = 5
  /// Mark, version, configuration, type and subtype.
  private static let headOfSecondVersion = 5
  private static let lengthMask: UInt8 = 0x0F

  /// Creates a frame.
  ///
  /// - Parameter bytes: the frame without its check bytes.
  /// - Throws: ``NFCError/Code/invalidParameter`` for no bytes, for more than ``maximumLength``, and for a frame of version
  ///   1 or 2 whose length is not what it says: phones ignore it.
  public init(_ bytes: [UInt8], technology: Technology = .typeA) throws(NFCError) {
    guard (1...Self.maximumLength).contains(bytes.count) else {
      throw NFCError(
        .invalidParameter,
        "a polling frame has 1 to \(Self.maximumLength) bytes without its check bytes, not \(bytes.count)"
      )
    }
    if let expected = Self.expectedLength(bytes), expected != bytes.count {
      throw NFCError(
        .invalidParameter,
        "a polling frame with this beginning has \(expected) bytes without its check bytes, not \(bytes.count): phones would ignore it"
      )
    }
    self.bytes = bytes
    self.technology = technology
  }

  private init(known bytes: [UInt8]) {
    self.bytes = bytes
    technology = .typeA
  }

  /// The length that a frame says itself; `nil` for one of another kind.
  private static func expectedLength(_ bytes: [UInt8]) -> Int? {
    guard bytes.first == mark, bytes.count > 1 else { return nil }
    switch bytes[1] {
    case firstVersion: return lengthOfFirstVersion
    case secondVersion:
      return headOfSecondVersion + (bytes.count > 2 ? Int(bytes[2] & lengthMask) : 0)
    default: return nil
    }
  }

  /// Passes, and no payment: what an iPhone sends when its app reads passes.
  public static let passesOnly = PollingFrame(known: [0x6A, 0x01, 0x00, 0x00, 0x02])

  /// The bytes as they are sent, with the check bytes of the technology.
  public var encoded: [UInt8] {
    bytes
      + (technology == .typeA ? CyclicRedundancyCheck.a(bytes) : CyclicRedundancyCheck.b(bytes))
  }

  /// Whether the frame is that of a reader for public transport, for which a phone may present a payment card without its
  /// owner's confirmation.
  public var isTransit: Bool {
    let transit: UInt8 = 0x01
    return version == 2 && bytes.count > 3 && bytes[3] == transit
  }

  private var version: Int? {
    guard bytes.first == Self.mark, bytes.count > 1 else { return nil }
    return bytes[1] == Self.firstVersion ? 1 : bytes[1] == Self.secondVersion ? 2 : nil
  }

  /// The meaning of the frame: "ECP 1, passes only".
  public var name: String {
    switch version {
    case 1:
      switch Array(bytes.dropFirst(2)) {
      case [0x00, 0x00, 0x00]: return "ECP 1, passes or payment"
      case [0x00, 0x00, 0x01]: return "ECP 1, passes and payment"
      case [0x00, 0x00, 0x02]: return "ECP 1, passes only"
      case [0x00, 0x00, 0x03]: return "ECP 1, payment only"
      case [0xCF, 0x00, 0x00]: return "ECP 1, ignore this reader"
      default: return "ECP 1, unknown terminal"
      }
    case 2:
      let type = bytes.count > 3 ? bytes[3] : 0
      let names: [UInt8: String] = [
        0x00: "ignore this reader", 0x01: "transit", 0x02: "access", 0x03: "identity",
        0x05: "AirDrop",
      ]
      return "ECP 2, \(names[type] ?? "unknown terminal")"
    default: return "polling frame of \(bytes.count) bytes"
    }
  }
}

extension PollingFrame: CustomStringConvertible {
  public var description: String { "\(bytes.hexadecimal) (\(name))" }
}

extension Reader {
  /// Sets the frames that are sent after each unanswered search of their technology, by every call that looks for tags;
  /// none sends none, as after opening.
  ///
  /// Phones decide by these frames whether they answer. Tags that are no phones ignore them, and are found as before.
  /// While there are frames, each search makes one attempt, and searches follow each other almost without a pause: a round
  /// with one technology and one frame takes three commands to a PN53x. About once in two seconds the carrier is switched
  /// off and on in addition, which wakes tags that sleep. A call that is running goes on with what it has begun with, until
  /// its next search.
  ///
  /// - Throws: ``NFCError/Code/unsupported``, and nothing is changed, if this reader cannot send a frame after a search of
  ///   that technology (``ReaderCapabilities/pollingFrames``).
  public nonisolated func setPollingFrames(_ frames: [PollingFrame]) throws(NFCError) {
    for frame in frames where !capabilities.pollingFrames.contains(frame.technology.tagTechnology) {
      throw NFCError(
        .unsupported,
        "\(name) cannot send a polling frame of \(frame.technology == .typeA ? "type A" : "type B"); a PN532 can",
        cause: .unsupportedByReader)
    }
    broadcast.withLock { $0 = frames }
  }

  /// The frames that are sent after each unanswered search of their technology.
  public nonisolated var pollingFrames: [PollingFrame] { broadcast.withLock { $0 } }

  /// Whether phones are made to answer, so that rounds follow each other quickly.
  nonisolated var isBroadcasting: Bool { broadcast.withLock { !$0.isEmpty } }

  /// Makes a search, and sends the frames of its technology if nothing has answered.
  func searching(
    _ technology: TagTechnology, _ search: (any ReaderDriver) throws -> [Target]
  ) throws -> [Target] {
    let frames = pollingFrames
    if driverBroadcasts != !frames.isEmpty {
      driverBroadcasts = !frames.isEmpty
      driver.setBroadcasting(driverBroadcasts)
    }
    let found = try search(driver)
    if found.isEmpty {
      for frame in frames where frame.technology.tagTechnology == technology {
        try driver.broadcast(frame)
      }
    }
    return found
  }
}
