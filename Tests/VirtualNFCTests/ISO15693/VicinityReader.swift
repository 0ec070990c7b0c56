import SwiftNFCCore
import TestSupport
import Testing

@testable import SwiftNFCCore
@testable import VirtualNFC

/// A reader for vicinity chips: it adds and removes the check bytes, sends the second end of frame, and
/// can cause a fault at an exchange.
final class VicinityReader<Chip: VirtualChip> {
  enum Fault: Equatable {
    /// The tag is removed before the request, and the reader does not notice.
    case gone
    /// The tag is removed before the request, and the reader notices.
    case lost
    /// The tag does not receive the request, once.
    case deaf
    /// The tag executes the command, but its answer is lost, once.
    case mute
    /// The answer is broken, once.
    case broken
    /// The tag refuses, once.
    case refusal(UInt8)
    /// The tag is removed after it has executed the command.
    case goneAfter
  }

  var chip: Chip
  var faults: [Int: Fault] = [:]
  /// All requests, without their check bytes.
  private(set) var requests: [[UInt8]] = []
  private(set) var isGone = false
  private let asked = PermittedChanges.kinds
  let maximumCommandLength: Int
  let maximumResponseLength: Int

  /// The default capacity is that of an ACR1552U: an APDU of 256 bytes, minus the objects of the
  /// transparent session.
  init(_ chip: Chip, command: Int = 241, response: Int = 241) {
    self.chip = chip
    maximumCommandLength = command
    maximumResponseLength = response
    self.chip.powerOn()
  }

  var exchanges: Int { requests.count }
  var codes: [UInt8] { requests.map { $0[1] } }

  func restart() {
    requests = []
    faults = [:]
    isGone = false
    chip.powerOff()
    chip.powerOn()
  }

  func clearCount() { requests = [] }

  var link: ISO15693Link {
    ISO15693Link(
      maximumCommandLength: maximumCommandLength, maximumResponseLength: maximumResponseLength
    ) { frame, timeout in
      #expect(timeout > .zero && timeout < .seconds(2))
      return try self.transceive(frame)
    }
  }

  func access(uid: [UInt8]?) -> ISO15693Access {
    ISO15693Access(link, knowledge: ISO15693Knowledge(uid: uid))
  }

  /// Access with the chip's UID.
  var access: ISO15693Access { access(uid: chip.identifier) }

  func mapping(uid: [UInt8]? = nil) -> Type5Mapping {
    Type5Mapping(knowledge: ISO15693Knowledge(uid: uid ?? chip.identifier))
  }

  private static var silence: NFCError {
    NFCError(.tagResponseError, "the tag does not answer", cause: .noAnswer)
  }

  private func transceive(_ frame: [UInt8]) throws -> [UInt8] {
    let fault = faults[requests.count]
    requests.append(frame)
    switch fault {
    case .gone: isGone = true
    case .lost: throw NFCError(.tagConnectionLost, "the tag has left")
    case .deaf: throw Self.silence
    case .refusal(let code): return [0x01, code]
    default: break
    }
    guard !isGone else { throw Self.silence }
    let before = chip.irreversibleState
    let answer = exchange(frame)
    // Only commands of procedures are checked; a test that sends its own command has requested its
    // effect.
    PermittedChanges.check(
      chip.irreversibleState.changes(since: before), askedFor: asked,
      sourceLocation: #_sourceLocation)
    switch fault {
    case .mute: throw Self.silence
    case .goneAfter:
      isGone = true
      throw Self.silence
    case .broken: throw NFCError(.tagResponseError, "the answer is broken", cause: .checksum)
    default: break
    }
    guard let answer else { throw Self.silence }
    guard answer.count <= maximumResponseLength else {
      throw NFCError(.readerUnavailable, "the answer is longer than the reader can take")
    }
    return answer
  }

  /// Sends one request, and its second end of frame if it has one.
  func exchange(_ frame: [UInt8]) -> [UInt8]? {
    var answer = chip.receive(.iso15693(frame))
    if answer == nil, let request = try? ISO15693Request(decoding: frame),
      request.flags.contains(.option), request.command.isWriteAlike
    {
      answer = chip.receive(.iso15693EndOfFrame)
    }
    return answer?.checkedPayload
  }

  /// Sends a request in hexadecimal and returns the answer in hexadecimal, empty for silence.
  func ask(_ text: String) -> String {
    [UInt8](hexadecimal: text).flatMap(exchange)?.hexadecimal ?? ""
  }

  /// Sends a request that has no UID with the chip's, which follows the maker's code of a custom command.
  func askAddressed(_ text: String) -> String {
    guard var request = [UInt8](hexadecimal: text), request.count >= 2 else { return "" }
    request[0] |= 0x20
    let place = request[1] < 0xA0 ? 2 : min(3, request.count)
    request.insert(contentsOf: chip.identifier.reversed(), at: place)
    return exchange(request)?.hexadecimal ?? ""
  }

  /// Sends a request without the UID, to which NXP's chips do not answer if they refuse it, and then with the UID;
  /// returns both answers.
  func refusals(_ text: String) -> [String] { [ask(text), askAddressed(text)] }
}

/// Returns bytes that differ from block to block.
func pattern(_ count: Int, seed: Int = 0xD1) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8 &+ seed) }
}
