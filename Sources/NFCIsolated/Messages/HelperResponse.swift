import SwiftNFCCore

/// The answer of the process that has the reader.
enum HelperResponse: Hashable, Sendable {
  /// A reader that it has opened.
  struct Opened: Hashable, Sendable {
    var name: String
    /// ``ReaderDriver/firmware``.
    var firmware: String?
    var capabilities: ReaderCapabilities
    /// The technologies of ``ReaderDriver/findsOneByOne(_:)``.
    var foundOneByOne: [TagTechnology]
  }

  case done
  case opened(Opened)
  case targets([Target])
  case answer([UInt8])
  case decision(Bool)
  case reception(EmulationReception)
  /// How the session has ended; `nil` if it has not.
  case release(EmulationRelease?)
  case failure(NFCError)
  case cancelled

  private enum Kind: UInt8 {
    case done = 1
    case opened, targets, answer, decision, failure, cancelled, reception, release
  }

  func write(to writer: inout MessageWriter) {
    func kind(_ kind: Kind) { writer.byte(kind.rawValue) }
    switch self {
    case .done: kind(.done)
    case .opened(let reader):
      kind(.opened)
      writer.text(reader.name)
      writer.optional(reader.firmware) { $0.text($1) }
      writer.capabilities(reader.capabilities)
      writer.list(reader.foundOneByOne) { $0.technology($1) }
    case .targets(let targets):
      kind(.targets)
      writer.list(targets) { $0.target($1) }
    case .answer(let bytes):
      kind(.answer)
      writer.block(bytes)
    case .decision(let decision):
      kind(.decision)
      writer.flag(decision)
    case .reception(let reception):
      kind(.reception)
      writer.reception(reception)
    case .release(let release):
      kind(.release)
      writer.optional(release) { $0.release($1) }
    case .failure(let error):
      kind(.failure)
      writer.error(error)
    case .cancelled: kind(.cancelled)
    }
  }

  init(from reader: inout MessageReader) throws(MalformedMessage) {
    guard let kind = Kind(rawValue: try reader.byte()) else { throw MalformedMessage() }
    switch kind {
    case .done: self = .done
    case .opened:
      let name = try reader.text()
      let firmware = try reader.optional { reader throws(MalformedMessage) in try reader.text() }
      let capabilities = try reader.capabilities()
      let technologies = try reader.list { reader throws(MalformedMessage) in
        try reader.technology()
      }
      self = .opened(
        Opened(
          name: name, firmware: firmware, capabilities: capabilities, foundOneByOne: technologies))
    case .targets:
      self = .targets(
        try reader.list { reader throws(MalformedMessage) in try reader.target() })
    case .answer: self = .answer(try reader.block())
    case .decision: self = .decision(try reader.flag())
    case .reception: self = .reception(try reader.reception())
    case .release:
      self = .release(
        try reader.optional { reader throws(MalformedMessage) in try reader.release() })
    case .failure: self = .failure(try reader.error())
    case .cancelled: self = .cancelled
    }
  }
}
