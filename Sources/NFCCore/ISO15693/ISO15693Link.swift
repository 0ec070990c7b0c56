/// The one primitive that procedures with vicinity tags need: a frame out, a frame back.
///
/// A link exists while a procedure runs on the reader's thread; anyone who can send a frame can
/// create one.
package struct ISO15693Link {
  /// The longest request and the longest answer that the reader moves, without their checks.
  package let maximumCommandLength: Int
  package let maximumResponseLength: Int
  private let capabilities: Set<CommandPath.Capability>?
  private let section: (_ body: () throws -> Void) throws -> Void
  private let change: (_ send: () throws -> ISO15693Response) throws -> ISO15693Response
  private let takenBack: () -> Void
  private let send: (_ frame: [UInt8], _ timeout: Duration) throws -> [UInt8]

  /// - Parameters:
  ///   - capabilities: the commands that the reader can send to the tag; `nil` for all.
  ///   - section: runs a part of a procedure that is not interrupted when the task is cancelled.
  ///   - change: sends a command that changes the tag.
  ///   - takenBack: is called when every change was taken back.
  ///   - transceive: sends a frame, flags first, without its check bytes, and returns the answer in
  ///     the same form; after a write-alike command with the option flag, it sends the second end
  ///     of frame. It throws ``NFCError``: `tagResponseError` with the cause `noAnswer` on silence
  ///     and `checksum` on a broken answer, `tagConnectionLost` if the reader knows that the tag
  ///     has left.
  package init(
    maximumCommandLength: Int, maximumResponseLength: Int,
    capabilities: Set<CommandPath.Capability>? = nil,
    section: @escaping (_ body: () throws -> Void) throws -> Void = { try $0() },
    change: @escaping (_ send: () throws -> ISO15693Response) throws -> ISO15693Response = {
      try $0()
    },
    takenBack: @escaping () -> Void = {},
    transceive: @escaping (_ frame: [UInt8], _ timeout: Duration) throws -> [UInt8]
  ) {
    self.maximumCommandLength = maximumCommandLength
    self.maximumResponseLength = maximumResponseLength
    self.capabilities = capabilities
    self.section = section
    self.change = change
    self.takenBack = takenBack
    send = transceive
  }

  /// Creates the way over a reader.
  init(_ link: TagLink) {
    let capabilities = link.capabilities
    self.init(
      maximumCommandLength: capabilities.maximumCommandLength,
      maximumResponseLength: capabilities.maximumResponseLength,
      capabilities: capabilities.commandPaths.first?.capabilities[.iso15693],
      section: { try link.uninterrupted($0) }, change: { send in try link.changing { try send() } },
      takenBack: { link.changesWereTakenBack() }
    ) { frame, timeout in
      try link.exchange(frame, framing: .checked, timeout: timeout)
    }
  }

  /// Whether the reader only has its own commands to read and write a block: the tag cannot be
  /// asked what it is.
  var supportsOnlyBlockAccess: Bool { capabilities == [.readAndWrite] }

  /// Refuses a command of a program that the reader cannot send; see ``checkRequests()``.
  func checkRequest(_ command: ISO15693Command, _ flags: ISO15693RequestFlags) throws {
    switch command {
    case .readSingleBlock, .writeSingleBlock, .extendedReadSingleBlock, .extendedWriteSingleBlock:
      guard !flags.isEmpty else { return }
    default: break
    }
    try checkRequests()
  }

  /// Refuses requests of a program if the reader has only its own commands for blocks: the answer
  /// would be invented here, not the tag's.
  func checkRequests() throws {
    guard supportsOnlyBlockAccess else { return }
    throw NFCError(
      .unsupported, "the reader can send this tag only requests to read and write a block",
      cause: .unsupportedByReader)
  }

  /// Refuses operations that need locks if the reader does not support them, before anything is
  /// changed.
  func checkLocks() throws {
    guard let capabilities, !capabilities.contains(.locks) else { return }
    throw NFCError(
      .unsupported, "the reader cannot lock blocks of this tag", cause: .unsupportedByReader)
  }

  /// Runs a part of a procedure that is not interrupted when the task is cancelled; see
  /// ``TagLink/uninterrupted(_:)``.
  func uninterrupted(_ body: () throws -> Void) throws { try section(body) }

  /// See ``TagLink/changesWereTakenBack()``.
  func changesWereTakenBack() { takenBack() }

  /// Sends an unchanged frame; see ``ISO15693Request`` for its structure.
  ///
  /// - Throws: `commandTooLong` before anything is sent.
  func transceive(_ frame: [UInt8], timeout: Duration) throws -> [UInt8] {
    guard frame.count <= maximumCommandLength else {
      throw NFCError(
        .commandTooLong,
        "a request has at most \(maximumCommandLength) bytes on this reader, not \(frame.count)")
    }
    return try send(frame, timeout)
  }

  /// Sends a request and returns the answer's payload; see ``respond(to:answerLength:place:)``.
  func exchange(
    _ request: ISO15693Request, answerLength: Int, place: NFCError.Place?
  ) throws -> [UInt8] {
    try respond(to: request, answerLength: answerLength, place: place).payload
  }

  /// Sends a request and returns the answer.
  ///
  /// - Throws: a refusal with the cause `iso15693` and `place`.
  func respond(
    to request: ISO15693Request, answerLength: Int, place: NFCError.Place?
  ) throws -> ISO15693Response {
    let frame = try request.encoded()
    let changes = request.command.isWriteAlike
    let timeout = changes ? Self.writeTimeout : Self.readTimeout(bytes: frame.count + answerLength)
    func send() throws -> ISO15693Response {
      let response = try ISO15693Response(decoding: transceive(frame, timeout: timeout))
      _ = try response.checkedPayload(place: place)
      return response
    }
    do {
      return try changes ? change(send) : send()
    } catch var error as NFCError {
      if error.place == nil { error.place = place }
      throw error
    }
  }

  /// Returns the time limit for a read: a byte takes 0.302 ms in either direction at 26.48 kbit/s,
  /// and the tag 0.32 ms to begin (ISO/IEC 15693-3, 9.1); the rest is for the reader and its
  /// driver.
  static func readTimeout(bytes: Int) -> Duration {
    .milliseconds(50) + .microseconds(302) * bytes
  }

  /// The time limit for a write: a tag takes up to 20 ms, and with the option flag the reader's end
  /// of frame comes first (ISO/IEC 15693-3, 10.4.2).
  static let writeTimeout = Duration.milliseconds(100)
}

extension NFCError {
  /// The tag was silent.
  var isSilence: Bool { code == .tagResponseError && cause == .noAnswer }
  /// The answer, or the request, was broken on the way.
  var isTransmissionError: Bool { code == .tagResponseError && cause == .checksum }
}
