import SwiftNFCCore

// The encoding of what a reader that acts as a card sends and receives, as that of the other values.

extension MessageWriter {
  mutating func emulation(_ value: EmulationCapabilities) {
    number(Int32(clamping: value.maximumCommandLength))
    number(Int32(clamping: value.maximumAnswerLength))
    flag(value.isExperimental)
  }

  mutating func identity(_ value: CardIdentity) {
    block(value.uid)
    block(value.historicalBytes)
  }

  mutating func release(_ value: EmulationRelease) {
    switch value {
    case .deselected: byte(0)
    case .field: byte(1)
    case .reader: byte(2)
    }
  }

  mutating func reception(_ value: EmulationReception) {
    switch value {
    case .command(let command):
      byte(0)
      block(command)
    case .nothing: byte(1)
    case .released(let release):
      byte(2)
      self.release(release)
    }
  }
}

extension MessageReader {
  mutating func emulation() throws(MalformedMessage) -> EmulationCapabilities {
    let command = Int(try number(Int32.self))
    let answer = Int(try number(Int32.self))
    return EmulationCapabilities(
      maximumCommandLength: command, maximumAnswerLength: answer, isExperimental: try flag())
  }

  mutating func identity() throws(MalformedMessage) -> CardIdentity {
    let uid = try block()
    guard uid.first == CardIdentity.firstByteOfUID,
      let identity = try? CardIdentity(
        number: Array(uid.dropFirst()), historicalBytes: try block())
    else { throw MalformedMessage() }
    return identity
  }

  mutating func release() throws(MalformedMessage) -> EmulationRelease {
    switch try byte() {
    case 0: .deselected
    case 1: .field
    case 2: .reader
    default: throw MalformedMessage()
    }
  }

  mutating func reception() throws(MalformedMessage) -> EmulationReception {
    switch try byte() {
    case 0: .command(try block())
    case 1: .nothing
    case 2: .released(try release())
    default: throw MalformedMessage()
    }
  }
}
