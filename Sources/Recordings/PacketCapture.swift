import SwiftNFCCore
import Synchronization

/// Writes the communication over the air to a capture file for Wireshark (pcapng).
///
/// Frames of ISO/IEC 14443 have the link type 264 (LINKTYPE_ISO_14443), which Wireshark dissects.
/// FeliCa and ISO/IEC 15693 have no link type: their frames are captured as link types 147 and 148,
/// which are free for private use (LINKTYPE_USER0, LINKTYPE_USER1), each as on the air, including
/// check bytes. Wireshark shows the bytes, and dissects those of FeliCa if the protocol for User 0
/// (147) is set to `felica` with a header of 1 byte and a trailer of 2. All other technologies have
/// link type 150 (LINKTYPE_USER3), as bytes without check bytes; Wireshark has no dissector for any
/// of them. LINKTYPE_USER2 is not free in practice: Wireshark takes it for the PKTAP of macOS.
///
/// Formats: pcapng, draft-ietf-opsawg-pcapng; the pseudo-header of link type 264,
/// tcpdump.org/linktypes/LINKTYPE_ISO_14443.html.
public final class PacketCapture: Sendable {
  /// Receives bytes of the file.
  public typealias Sink = @Sendable ([UInt8]) throws -> Void

  /// The air interface of a frame.
  @nonexhaustive
  public enum Interface: UInt32, Sendable, CaseIterable {
    /// ISO/IEC 14443, type A and B.
    case iso14443
    /// FeliCa, at 212 or 424 kbit/s.
    case feliCa
    /// ISO/IEC 15693.
    case iso15693
    /// Topaz, ISO/IEC 14443 B′, ST SRx, ASK CTx, NFC barcode, iCLASS.
    case other

    fileprivate var linkType: UInt16 {
      switch self {
      case .iso14443: 264
      case .feliCa: 147
      case .iso15693: 148
      case .other: 150
      }
    }

    fileprivate var name: String {
      switch self {
      case .iso14443: "ISO 14443"
      case .feliCa: "FeliCa"
      case .iso15693: "ISO 15693"
      case .other: "other tags"
      }
    }
  }

  /// The sender of a frame.
  public enum Sender: Hashable, Sendable {
    /// The reader, to the tag.
    case reader
    /// The tag, to the reader.
    case tag
  }

  private struct State {
    var hasBegun = false
    var reconstructions: [Int: FrameReconstruction] = [:]
  }

  private let sink: Sink
  private let state = Mutex(State())
  /// The start of the capture, as the time since 1970.
  private let epoch: Duration
  private let start = ContinuousClock.now

  /// - Parameters:
  ///   - epoch: the time of day at which the capture starts, as the time since 1970.
  ///   - sink: receives the file, block by block.
  public init(since epoch: Duration, _ sink: @escaping Sink) {
    self.epoch = epoch
    self.sink = sink
  }

  /// Writes the beginning of the file. Otherwise, the first frame does so.
  ///
  /// - Throws: what the sink throws.
  public func begin() throws { try state.withLock { try begin(&$0) } }

  private func begin(_ state: inout State) throws {
    guard !state.hasBegun else { return }
    try sink(CaptureBlock.sectionHeader)
    for interface in Interface.allCases {
      try sink(CaptureBlock.interface(interface.linkType, name: interface.name))
    }
    state.hasBegun = true
  }

  /// Writes a frame as on the air, including check bytes.
  ///
  /// - Parameter comment: a comment for people; `nil` for none.
  /// - Throws: what the sink throws.
  public func frame(
    _ bytes: [UInt8], from sender: Sender, on interface: Interface, comment: String? = nil
  ) throws {
    try state.withLock { state in
      try begin(&state)
      try write(bytes, from: sender, on: interface, at: now, comment: comment)
    }
  }

  /// Writes that the carrier was switched on or off.
  ///
  /// - Throws: what the sink throws.
  public func carrier(isOn: Bool) throws {
    try state.withLock { state in
      try begin(&state)
      try writeCarrier(isOn: isOn, at: now)
    }
  }

  private var now: Duration { ContinuousClock.now - start }

  /// Writes the frames of a call of a reader's driver, as far as they are known.
  func take(_ call: RecordedCall) throws {
    try state.withLock { state in
      try begin(&state)
      let items = state.reconstructions[call.reader, default: FrameReconstruction()].items(call)
      for item in items {
        let time = call.time + (item.isFirst ? .zero : call.duration)
        switch item.content {
        case .carrier(let isOn): try writeCarrier(isOn: isOn, at: time)
        case .frame(let bytes, let sender, let interface):
          try write(bytes, from: sender, on: interface, at: time, comment: item.comment)
        }
      }
    }
  }

  // MARK: Packets

  /// The second byte of the pseudo-header. There are events for frames without check bytes, but
  /// Wireshark 4 looks for check bytes in a tag's answer anyway, so every frame has them.
  private enum Event {
    static let fromTag: UInt8 = 0xFF
    static let fromReader: UInt8 = 0xFE
    static let fieldOff: UInt8 = 0xFD
    static let fieldOn: UInt8 = 0xFC
  }

  private static func header(_ event: UInt8, length: Int) -> [UInt8] {
    let version: UInt8 = 0
    return [version, event] + UInt16(clamping: length).bigEndianBytes
  }

  private func write(
    _ bytes: [UInt8], from sender: Sender, on interface: Interface, at time: Duration,
    comment: String?
  ) throws {
    // An end of frame without data shows nothing.
    guard !bytes.isEmpty else { return }
    var packet = bytes
    if interface == .iso14443 {
      let event = sender == .reader ? Event.fromReader : Event.fromTag
      packet = Self.header(event, length: bytes.count) + bytes
    }
    try sink(
      CaptureBlock.packet(
        packet, interface: interface.rawValue, at: epoch + time, isOutbound: sender == .reader,
        comment: comment))
  }

  private func writeCarrier(isOn: Bool, at time: Duration) throws {
    try sink(
      CaptureBlock.packet(
        Self.header(isOn ? Event.fieldOn : Event.fieldOff, length: 0),
        interface: Interface.iso14443.rawValue, at: epoch + time, isOutbound: true, comment: nil))
  }
}

/// The blocks of a pcapng file, in the byte order of the section header's magic number.
enum CaptureBlock {
  private enum Kind {
    static let sectionHeader: UInt32 = 0x0A0D_0D0A
    static let interface: UInt32 = 1
    static let enhancedPacket: UInt32 = 6
  }

  private enum Option {
    static let comment: UInt16 = 1
    static let interfaceName: UInt16 = 2
    static let packetFlags: UInt16 = 2
    static let application: UInt16 = 4
    static let timeResolution: UInt16 = 9
  }

  private static let magic: UInt32 = 0x1A2B_3C4D
  private static let unknownLength: UInt64 = .max
  /// 10 to the minus 9.
  private static let nanoseconds: UInt8 = 9

  static let sectionHeader = block(
    Kind.sectionHeader,
    bytes(magic) + bytes(UInt16(1)) + bytes(UInt16(0)) + bytes(unknownLength)
      + options([(Option.application, Array("nfc".utf8))]))

  static func interface(_ linkType: UInt16, name: String) -> [UInt8] {
    let noLimit: UInt32 = 0
    return block(
      Kind.interface,
      bytes(linkType) + bytes(UInt16(0)) + bytes(noLimit)
        + options([
          (Option.interfaceName, Array(name.utf8)), (Option.timeResolution, [nanoseconds]),
        ]))
  }

  static func packet(
    _ data: [UInt8], interface: UInt32, at time: Duration, isOutbound: Bool, comment: String?
  ) -> [UInt8] {
    let (seconds, attoseconds) = time.components
    let stamp =
      UInt64(clamping: seconds) &* 1_000_000_000 &+ UInt64(clamping: attoseconds / 1_000_000_000)
    let length = bytes(UInt32(data.count))
    // Direction: bits 0 and 1.
    let flags: UInt32 = isOutbound ? 2 : 1
    var list = [(Option.packetFlags, bytes(flags))]
    if let comment { list.append((Option.comment, Array(comment.utf8))) }
    return block(
      Kind.enhancedPacket,
      bytes(interface) + bytes(UInt32(stamp >> 32)) + bytes(UInt32(truncatingIfNeeded: stamp))
        + length + length + padded(data) + options(list))
  }

  /// The kind and the length precede the body; the length follows it again.
  private static func block(_ kind: UInt32, _ body: [UInt8]) -> [UInt8] {
    let length = bytes(UInt32(body.count + 12))
    return bytes(kind) + length + body + length
  }

  private static func options(_ options: [(UInt16, [UInt8])]) -> [UInt8] {
    let end: [UInt8] = [0, 0, 0, 0]
    return options.flatMap { bytes($0) + bytes(UInt16(clamping: $1.count)) + padded($1) } + end
  }

  private static func padded(_ data: [UInt8]) -> [UInt8] {
    data + [UInt8](repeating: 0, count: (4 - data.count % 4) % 4)
  }

  private static func bytes(_ value: some FixedWidthInteger & UnsignedInteger) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }
}
