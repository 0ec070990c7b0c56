import SwiftNFCCore
import PassMessage

/// What has become of a tap of a phone.
@nonexhaustive
public enum PassEvent: Hashable, Sendable {
  /// Why a phone does not send a pass yet.
  @nonexhaustive
  public enum Reason: String, Hashable, Sendable {
    /// It is locked, or its owner has to prove who it is.
    case locked
    /// Its owner has to choose the pass.
    case choose
  }

  /// A pass was read.
  case pass(Pass)
  /// The owner of the phone has to do something. The phone then answers again.
  case waiting(Reason)
  /// A pass was not accepted.
  case refused(PassRefusal)
  /// The phone has left before it had answered.
  case lost(NFCError)
}

/// Why a tap has no pass.
@nonexhaustive
public enum PassRefusal: Error, Hashable, Sendable {
  /// The phone has none of the requested passes, or another one was chosen.
  case noSuchPass
  /// The phone refuses the request with this status word.
  case status(StatusWord)
  /// What the phone has sent cannot be opened with the key.
  case content(PassError)
  /// What the phone has sent by Smart Tap cannot be used.
  case smartTap(SmartTapError)
  /// What the phone has sent is not an answer to the request.
  case malformedAnswer
  /// The pass is too old, from the future, or was read before.
  case time(PassMemory.Refusal)
}

extension PassRefusal: CustomStringConvertible {
  public var description: String {
    switch self {
    case .noSuchPass: "the phone has no such pass, or another one was chosen"
    case .status(let word):
      "the phone refuses the request with the status word \(word.bytes.hexadecimal)"
    case .content(let error): error.description
    case .smartTap(let error): error.description
    case .malformedAnswer: "the phone's answer is not one to a request for a pass"
    case .time(.tooOld(let age)): "the pass was sent \(Self.seconds(age)) ago, which is too old"
    case .time(.fromTheFuture(let seconds)):
      "the pass is \(Self.seconds(seconds)) ahead of the clock of this machine"
    case .time(.repeated): "this answer of a phone was there before"
    case .time: "the pass is not of this time"
    }
  }

  private static func seconds(_ count: Double) -> String {
    "\(Int64(min(max(count, 0), 1e15).rounded())) s"
  }
}

extension StatusWord {
  /// The two bytes.
  var bytes: [UInt8] { [UInt8(rawValue >> 8), UInt8(rawValue & 0xFF)] }
}
