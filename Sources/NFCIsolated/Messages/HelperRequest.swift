import SwiftNFCCore

/// A request of a program to the process that has its reader: one call of ``ReaderDriver``, or of
/// ``ReaderSource`` before there is a driver.
enum HelperRequest: Hashable, Sendable {
  case open(ReaderAddress)
  case reset(ReaderAddress)
  case resetField
  case list(TagTechnology)
  case find(TagTechnology, excluding: [Target])
  case select(Target)
  case isPresent(Target)
  case exchange([UInt8], Framing, timeout: Duration)
  case authenticate(block: UInt8, MiFareClassicKeyType, key: [UInt8], uid: [UInt8])
  case disconnect
  case close
  case commandWasInterrupted
  case waitForActivation(CardIdentity, timeout: Duration)
  case receiveCommand(timeout: Duration)
  case answerCommand([UInt8])
  case endEmulation
  case switchFieldOff
  case setBroadcasting(Bool)
  case broadcast(PollingFrame)

  private enum Kind: UInt8 {
    case open = 1
    case reset, resetField, list, find, select, isPresent, exchange, authenticate
    case disconnect, close, commandWasInterrupted
    case waitForActivation, receiveCommand, answerCommand, endEmulation, switchFieldOff
    case setBroadcasting, broadcast
  }

  func write(to writer: inout MessageWriter) {
    func kind(_ kind: Kind) { writer.byte(kind.rawValue) }
    switch self {
    case .open(let address):
      kind(.open)
      writer.text(address.description)
    case .reset(let address):
      kind(.reset)
      writer.text(address.description)
    case .resetField: kind(.resetField)
    case .list(let technology):
      kind(.list)
      writer.technology(technology)
    case .find(let technology, let found):
      kind(.find)
      writer.technology(technology)
      writer.list(found) { $0.target($1) }
    case .select(let target):
      kind(.select)
      writer.target(target)
    case .isPresent(let target):
      kind(.isPresent)
      writer.target(target)
    case .exchange(let command, let framing, let timeout):
      kind(.exchange)
      writer.block(command)
      writer.framing(framing)
      writer.duration(timeout)
    case .authenticate(let block, let keyType, let key, let uid):
      kind(.authenticate)
      writer.byte(block)
      writer.flag(keyType == .a)
      writer.block(key)
      writer.block(uid)
    case .disconnect: kind(.disconnect)
    case .close: kind(.close)
    case .commandWasInterrupted: kind(.commandWasInterrupted)
    case .waitForActivation(let identity, let timeout):
      kind(.waitForActivation)
      writer.identity(identity)
      writer.duration(timeout)
    case .receiveCommand(let timeout):
      kind(.receiveCommand)
      writer.duration(timeout)
    case .answerCommand(let answer):
      kind(.answerCommand)
      writer.block(answer)
    case .endEmulation: kind(.endEmulation)
    case .switchFieldOff: kind(.switchFieldOff)
    case .setBroadcasting(let isOn):
      kind(.setBroadcasting)
      writer.flag(isOn)
    case .broadcast(let frame):
      kind(.broadcast)
      writer.block(frame.bytes)
      writer.technology(frame.technology.tagTechnology)
    }
  }

  init(from reader: inout MessageReader) throws(MalformedMessage) {
    guard let kind = Kind(rawValue: try reader.byte()) else { throw MalformedMessage() }
    switch kind {
    case .open: self = .open(ReaderAddress(try reader.text()))
    case .reset: self = .reset(ReaderAddress(try reader.text()))
    case .resetField: self = .resetField
    case .list: self = .list(try reader.technology())
    case .find:
      let technology = try reader.technology()
      self = .find(
        technology,
        excluding: try reader.list { reader throws(MalformedMessage) in try reader.target() })
    case .select: self = .select(try reader.target())
    case .isPresent: self = .isPresent(try reader.target())
    case .exchange:
      let command = try reader.block()
      let framing = try reader.framing()
      self = .exchange(command, framing, timeout: try reader.duration())
    case .authenticate:
      let block = try reader.byte()
      let keyType: MiFareClassicKeyType = try reader.flag() ? .a : .b
      let key = try reader.block()
      self = .authenticate(block: block, keyType, key: key, uid: try reader.block())
    case .disconnect: self = .disconnect
    case .close: self = .close
    case .commandWasInterrupted: self = .commandWasInterrupted
    case .waitForActivation:
      let identity = try reader.identity()
      self = .waitForActivation(identity, timeout: try reader.duration())
    case .receiveCommand: self = .receiveCommand(timeout: try reader.duration())
    case .answerCommand: self = .answerCommand(try reader.block())
    case .endEmulation: self = .endEmulation
    case .switchFieldOff: self = .switchFieldOff
    case .setBroadcasting: self = .setBroadcasting(try reader.flag())
    case .broadcast:
      let bytes = try reader.block()
      let technology = try reader.technology()
      guard
        let kind = PollingFrame.Technology.allCases.first(where: {
          $0.tagTechnology == technology
        }), let frame = try? PollingFrame(bytes, technology: kind)
      else { throw MalformedMessage() }
      self = .broadcast(frame)
    }
  }
}
