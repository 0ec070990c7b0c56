import VirtualNFC

/// A phone that reads and writes a card in front of it, as traces show Android phones and iPhones to do. It shares no
/// code with the card: frames, blocks and commands are its own.
public final class ScriptedPhone {
  /// The card does not do what the phone expects.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  private let antenna: any FacingAntenna
  private var number: UInt8 = 0
  /// The CID that the phone assigns; blocks have none for 0.
  public var identifier: UInt8 = 0
  /// Put into each I-block as a node address, if there is one.
  public var nodeAddress: UInt8?
  /// How long the phone waits for an answer, however often the card requests more time.
  public var patience = Duration.seconds(5)
  /// The card's UID and ATS of the last activation.
  public private(set) var uid: [UInt8] = []
  public private(set) var ats: [UInt8] = []
  /// The number of times that the card has requested more time.
  public private(set) var extensions = 0
  /// Called before each block is sent, with its number from 0: `true` takes the phone away.
  public var leaves: (Int) -> Bool = { _ in false }
  private var sentBlocks = 0

  /// FWT for FWI 9: 256 × 16 / 13.56 MHz × 2^9. A test of a card that requests no more time waits for longer, because
  /// the machine may be busy.
  public var waitingTime = Duration.milliseconds(155)
  private static let shortWait = Duration.milliseconds(10)
  /// The maximum number of bytes of a command in one block, at least one; a card with frames of 64 bytes takes 61.
  public var longestBlock = 61
  /// INF of a block to a card with frames of 64 bytes: PCB and CRC take three, CID one.
  private var room: Int {
    min(longestBlock, 64 - 3 - (identifier == 0 ? 0 : 1) - (nodeAddress == nil ? 0 : 1))
  }

  public init(_ antenna: any FacingAntenna) { self.antenna = antenna }

  // MARK: Field and activation

  public func fieldOn() { antenna.setField(true) }
  public func fieldOff() { antenna.setField(false) }

  private func exchange(_ frame: RadioFrame, _ limit: Duration) -> RadioFrame? {
    antenna.exchange(frame, limit: limit) { false }
  }

  /// Sends REQA, or WUPA, and selects and activates a card; `false` if none is there.
  public func activate(wakes: Bool = false) throws -> Bool {
    guard try select(wakes: wakes) else { return false }
    guard
      let ats = exchange(.typeA([0xE0, 0x80 | identifier]), waitingTime)?.checkedPayload,
      ats.first == UInt8(ats.count)
    else { throw Failure(description: "no ATS") }
    self.ats = ats
    number = 0
    return true
  }

  /// The same without RATS.
  private func select(wakes: Bool) throws -> Bool {
    let request = RadioFrame(
      [wakes ? 0x52 : 0x26], modulation: .typeA, bitsInLastByte: 7)
    guard let atqa = exchange(request, Self.shortWait) else { return false }
    guard atqa.bytes == [0x04, 0x00] else { throw Failure(description: "ATQA \(atqa.bytes)") }
    guard
      let part = exchange(RadioFrame([0x93, 0x20], modulation: .typeA), Self.shortWait)?.bytes,
      part.count == 5, part.reduce(0, ^) == 0
    else { throw Failure(description: "no UID") }
    guard
      let sak = exchange(.typeA([0x93, 0x70] + part), Self.shortWait)?.checkedPayload, sak == [0x20]
    else { throw Failure(description: "SAK") }
    uid = Array(part.prefix(4))
    return true
  }

  /// Switches the field on and polls until a card answers.
  public func tap(within limit: Duration = .seconds(10)) throws {
    try poll(within: limit) { try activate() }
  }

  /// Switches the field on and polls until a card is selected, which is not activated for ISO/IEC 14443-4.
  public func select(within limit: Duration) throws {
    try poll(within: limit) { try select(wakes: false) }
  }

  private func poll(within limit: Duration, _ isThere: () throws -> Bool) throws {
    let end = ContinuousClock.now + limit
    fieldOn()
    while try !isThere() {
      guard ContinuousClock.now < end else { throw Failure(description: "no card came") }
      PhonePause.milliseconds(2)
    }
  }

  /// Polls FeliCa first, as some phones do; returns whether anything answered.
  public func pollFeliCa() -> [UInt8]? {
    exchange(.feliCa([0x00, 0xFF, 0xFF, 0x00, 0x00]), Self.shortWait)?.checkedPayload
  }

  /// Sends any FeliCa command.
  public func sendFeliCa(_ payload: [UInt8]) -> [UInt8]? {
    exchange(.feliCa(payload), Self.shortWait)?.checkedPayload
  }

  public func deselect() throws {
    guard
      exchange(.typeA(block(0xC2)), waitingTime)?.checkedPayload?.first.map({ $0 & 0xF7 }) == 0xC2
    else { throw Failure(description: "S(DESELECT) was not answered") }
  }

  /// Android's presence check: R(NAK), answered by R(ACK).
  public func isPresent() -> Bool {
    let answer = exchange(.typeA(block(0xB2 | number)), waitingTime)?.checkedPayload
    return answer?.first.map { $0 & 0xF6 } == 0xA2
  }

  /// PPS for 424 kbit/s both ways.
  public func selectRate() -> Bool {
    exchange(.typeA([0xD0 | identifier, 0x11, 0x0A]), waitingTime)?.checkedPayload
      == [0xD0 | identifier]
  }

  // MARK: Blocks

  private func block(_ pcb: UInt8, _ data: [UInt8] = []) -> [UInt8] {
    identifier == 0 ? [pcb] + data : [pcb | 0x08, identifier] + data
  }

  private func inner(_ block: [UInt8]) -> [UInt8] {
    Array(block.dropFirst(block[0] & 0x08 == 0 ? 1 : 2))
  }

  /// Sends one block; grants more time until the card answers.
  private func exchange(_ block: [UInt8]) throws -> [UInt8] {
    if leaves(sentBlocks) {
      fieldOff()
      throw Failure(description: "the phone has left")
    }
    sentBlocks += 1
    let end = ContinuousClock.now + patience
    var frame = block
    while ContinuousClock.now < end {
      guard let answer = exchange(.typeA(frame), waitingTime)?.checkedPayload, !answer.isEmpty
      else { throw Failure(description: "silence") }
      guard answer[0] & 0xF7 == 0xF2 else { return answer }
      extensions += 1
      frame = answer
    }
    throw Failure(description: "the card has taken too long")
  }

  /// Sends a command in as many blocks as it needs, and collects the answer.
  public func send(_ command: [UInt8]) throws -> [UInt8] {
    var rest = command[...]
    while rest.count > room {
      let part = rest.prefix(room)
      rest = rest.dropFirst(room)
      let answer = try exchange(information(0x12, Array(part)))
      guard answer[0] & 0xF6 == 0xA2, answer[0] & 1 == number else {
        throw Failure(description: "a block of the command was not acknowledged")
      }
      number ^= 1
    }
    var answer = try exchange(information(0x02, Array(rest)))
    var collected: [UInt8] = []
    while true {
      guard answer[0] & 0xE2 == 0x02, answer[0] & 1 == number else {
        throw Failure(description: "not an I-block: \(answer)")
      }
      number ^= 1
      collected += inner(answer)
      guard answer[0] & 0x10 != 0 else { return collected }
      answer = try exchange(block(0xA2 | number))
    }
  }

  private func information(_ pcb: UInt8, _ data: [UInt8]) -> [UInt8] {
    guard let nodeAddress else { return block(pcb | number, data) }
    return block(pcb | 0x04 | number, [nodeAddress] + data)
  }

  // MARK: Sequences

  private func ok(_ command: [UInt8]) throws -> [UInt8] {
    let answer = try send(command)
    guard answer.suffix(2) == [0x90, 0x00] else {
      throw Failure(description: "\(command) was answered \(answer)")
    }
    return Array(answer.dropLast(2))
  }

  /// MLe and MLc of the capability container, and whether the file may be written.
  public struct Container: Equatable {
    public var readLength, updateLength, size: Int
    public var isWritable: Bool
  }

  /// Selects application and capability container, and reads it.
  public func container() throws -> Container {
    _ = try ok([0x00, 0xA4, 0x04, 0x00, 0x07, 0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01, 0x00])
    _ = try ok([0x00, 0xA4, 0x00, 0x0C, 0x02, 0xE1, 0x03])
    let content = try ok([0x00, 0xB0, 0x00, 0x00, 0x0F])
    guard content.count == 15, content[0] == 0, content[1] == 15, content[2] >> 4 == 2,
      Array(content[7..<11]) == [0x04, 0x06, 0xE1, 0x04]
    else { throw Failure(description: "capability container \(content)") }
    func pair(_ index: Int) -> Int { Int(content[index]) << 8 | Int(content[index + 1]) }
    return Container(
      readLength: pair(3), updateLength: pair(5), size: pair(11), isWritable: content[14] == 0)
  }

  /// Reads the message as the NFC Forum prescribes and Android does.
  public func readNDEF() throws -> [UInt8] {
    let container = try container()
    _ = try ok([0x00, 0xA4, 0x00, 0x0C, 0x02, 0xE1, 0x04])
    let length = try ok([0x00, 0xB0, 0x00, 0x00, 0x02])
    let count = Int(length[0]) << 8 | Int(length[1])
    var message: [UInt8] = []
    while message.count < count {
      let offset = 2 + message.count
      let part = min(count - message.count, container.readLength, 255)
      message += try ok([
        0x00, 0xB0, UInt8(offset >> 8), UInt8(offset & 0xFF), UInt8(part),
      ])
    }
    return message
  }

  /// What an iPhone XR asks before the message (Seeed-Studio/PN532 issue 111).
  public func probeLikeAnIPhone() throws {
    let name: [UInt8] = [0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01]
    for _ in 0..<2 { _ = try ok([0x00, 0xA4, 0x04, 0x00, 0x07] + name + [0x00]) }
    let version: [UInt8] = [0x90, 0x60, 0x00, 0x00, 0x00]
    let other: [UInt8] = [
      0x00, 0xA4, 0x04, 0x00, 0x10, 0xA0, 0x00, 0x00, 0x03, 0x96, 0x56, 0x43, 0x41, 0x03, 0xF0,
      0x15,
      0x40, 0x00, 0x00, 0x00, 0x0B, 0x00,
    ]
    for command in [version, other, version] {
      let answer = try send(command)
      guard answer.count == 2, answer[0] & 0xF0 == 0x60 else {
        throw Failure(description: "a probe was answered \(answer)")
      }
    }
  }

  /// Writes a message: length zero, the parts, the length.
  public func writeNDEF(_ message: [UInt8]) throws {
    let container = try container()
    _ = try ok([0x00, 0xA4, 0x00, 0x0C, 0x02, 0xE1, 0x04])
    _ = try ok([0x00, 0xD6, 0x00, 0x00, 0x02, 0x00, 0x00])
    var done = 0
    while done < message.count {
      let part = message[done..<min(message.count, done + container.updateLength)]
      let offset = 2 + done
      _ = try ok(
        [0x00, 0xD6, UInt8(offset >> 8), UInt8(offset & 0xFF), UInt8(part.count)] + part)
      done += part.count
    }
    _ = try ok([
      0x00, 0xD6, 0x00, 0x00, 0x02, UInt8(message.count >> 8), UInt8(message.count & 0xFF),
    ])
  }
}
