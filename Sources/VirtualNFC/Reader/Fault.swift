import SwiftNFCSeededRandom

/// A fault at a given moment, for testing how a program reacts.
///
/// Moments are counted from 0 since the faults were passed to ``VirtualReader/setFaults(_:)``: the
/// frames that the reader sends over the air, or the commands that the host sends to the chip. The
/// same faults with the same program always give the same run.
public struct Fault: Sendable {
  /// The moment of a fault.
  @nonexhaustive
  public enum Moment: Hashable, Sendable {
    /// The n-th frame that the reader sends over the air.
    case exchange(Int)
    /// The n-th command that the host sends to the chip.
    case command(Int)
    /// Every n-th frame that the reader sends, starting with the n-th: a noisy environment.
    case everyExchange(Int)
    /// Every n-th command that the host sends, starting with the n-th.
    case everyCommand(Int)
    /// The n-th of the commands from the host that begin with these bytes; the first is the command's code, for
    /// instance 4A for InListPassiveTarget.
    case commandBeginning([UInt8], Int)
  }

  /// The effect of a fault.
  @nonexhaustive
  public enum Effect: Sendable {
    /// All tags are removed from the field before the frame is sent.
    case tagLeaves
    /// A tag is placed in the field before the frame is sent.
    case tagArrives(VirtualTag)
    /// The tag does not receive the frame.
    case frameLost
    /// The tag receives the frame, but its answer does not arrive, or arrives after the chip has
    /// given up.
    case answerLost
    /// A bit of the tag's answer is wrong, and so are its check bytes.
    case answerBroken
    /// A parity bit of the tag's answer is wrong; types A and Jewel have them.
    case answerParityBroken
    /// The tag's answer ends after this many bytes.
    case answerCut(Int)
    /// This number of bits at the end of the tag's answer are missing, up to 7.
    case answerBitsLost(Int)
    /// The tag continues for this number of bytes after its answer.
    case answerContinues(Int)
    /// The beginning of the tag's answer is broken. A receiver of type A reports it, others receive
    /// nothing.
    case answerStartBroken
    /// Another tag answers at the same time, with different bits from this one on, counted from 0.
    case answerCollides(bit: Int)
    /// The tag's answer begins this much later than usual.
    case answerLate(Duration)
    /// The chip overheats and switches its antenna off instead of sending the frame.
    case chipOverheats
    /// The antenna draws too much current, as near metal; the chip switches it off instead of
    /// sending the frame.
    case antennaOverloads
    /// The tag is removed while it writes: of the bytes that the frame changes in its memory, only
    /// this number were written. It does not answer, and has left.
    case writeTorn(Int)
    /// All tags are removed from the field before the frame is sent, and this one is placed in it.
    case tagReplaced(VirtualTag)
    /// The host's frame reaches the chip with a wrong byte, or with one byte less or more: there is
    /// neither ACK nor answer.
    case commandBroken
    /// The chip runs the command; its ACK is lost, its answer is not.
    case acknowledgeLost
    /// The ACK comes twice.
    case acknowledgeDoubled
    /// The chip's ACK is late by this time, and so is its answer.
    case acknowledgeLate(Duration)
    /// The chip runs the command; its answer arrives with the next command, before that command's
    /// ACK.
    case replyHeld
    /// A byte of the chip's answer, counted from 0, is lost on the way to the host.
    case replyByteLost(Int)
    /// A byte comes between those of the chip's answer, before the one with this number.
    case replyByteAdded(UInt8, Int)
    /// The power supply fails after the ACK: the chip is in its state after power-up, asleep,
    /// without targets, at 115200 baud, and does not answer.
    case supplyFails
    /// The chip runs the command; a byte of its answer is wrong on the way to the host.
    case replyBroken
    /// The chip runs the command; its answer is lost on the way to the host.
    case replyLost
    /// These bytes replace the chip's answer.
    case replyReplaced([UInt8])
    /// The chip's answer has this content, D5 first, in a frame that is right in itself: a chip that lies.
    case replyContentReplaced([UInt8])
    /// The chip does not answer any more, until ``VirtualReader/setFaults(_:)`` is called again.
    case chipFallsSilent
    /// The serial line is closed: the reader was unplugged.
    case lineCloses
  }

  /// The moment of the fault.
  public var moment: Moment
  /// The effect of the fault.
  public var effect: Effect

  /// Creates a fault at a moment.
  public init(_ effect: Effect, at moment: Moment) {
    self.effect = effect
    self.moment = moment
  }

  /// Returns a repeatable mixture of lost and broken frames, on the air and on the line.
  ///
  /// - Parameters:
  ///   - seed: the same seed produces the same faults.
  ///   - count: the number of faults.
  ///   - range: the exchanges and commands over which they are distributed.
  public static func random(seed: UInt64, count: Int, among range: Range<Int>) -> [Fault] {
    var generator = SplitMix64(seed: seed)
    guard !range.isEmpty else { return [] }
    return (0..<max(0, count)).map { _ in
      let moment = Int.random(in: range, using: &generator)
      switch Int.random(in: 0..<6, using: &generator) {
      case 0: return Fault(.frameLost, at: .exchange(moment))
      case 1: return Fault(.answerLost, at: .exchange(moment))
      case 2: return Fault(.answerBroken, at: .exchange(moment))
      case 3: return Fault(.commandBroken, at: .command(moment))
      case 4: return Fault(.replyBroken, at: .command(moment))
      default: return Fault(.replyLost, at: .command(moment))
      }
    }
  }
}
