/// Something that goes wrong at a given moment, for testing what a program makes of it.
///
/// Moments are counted from 0 from when the faults are given to ``VirtualReader/setFaults(_:)``: the
/// frames that the reader sends over the air, or the commands that the host sends to the chip. The
/// same faults on the same program give the same run.
public struct Fault: Sendable {
  /// When a fault happens.
  public enum Moment: Hashable, Sendable {
    /// The n-th frame that the reader sends over the air.
    case exchange(Int)
    /// The n-th command that the host sends to the chip.
    case command(Int)
    /// Every n-th frame that the reader sends, the n-th first: a noisy place.
    case everyExchange(Int)
    /// Every n-th command that the host sends, the n-th first.
    case everyCommand(Int)
  }

  /// What happens.
  public enum Effect: Sendable {
    /// All tags are taken out of the field before the frame is sent.
    case tagLeaves
    /// A tag is put into the field before the frame is sent.
    case tagArrives(VirtualTag)
    /// The tag does not hear the frame.
    case frameLost
    /// The tag hears the frame, but its answer does not arrive, or arrives when the chip has given up.
    case answerLost
    /// A bit of the tag's answer is wrong, and so is its check.
    case answerBroken
    /// A parity bit of the tag's answer is wrong; types A and Jewel have them.
    case answerParityBroken
    /// The tag's answer ends after so many bytes.
    case answerCut(Int)
    /// So many of the last bits of the tag's answer are missing, up to 7.
    case answerBitsLost(Int)
    /// The tag goes on for so many bytes after its answer.
    case answerContinues(Int)
    /// The beginning of the tag's answer is broken. A receiver of type A reports it, others hear nothing.
    case answerStartBroken
    /// Another tag answers at the same time, and otherwise from this bit on, counted from 0.
    case answerCollides(bit: Int)
    /// The tag's answer begins so much later than it would.
    case answerLate(Duration)
    /// The chip has become too hot and switches its antenna off instead of sending the frame.
    case chipOverheats
    /// More current flows into the antenna than may, as with metal before it; the chip switches it off instead
    /// of sending the frame.
    case antennaOverloads
    /// The tag is torn away while it writes: of the bytes that the frame changes in its memory, only the
    /// first ones have been written. It does not answer, and has left.
    case writeTorn(Int)
    /// All tags are taken out of the field before the frame is sent, and this one is put there.
    case tagReplaced(VirtualTag)
    /// The host's frame reaches the chip with a wrong byte, with one less or with one more: neither ACK nor
    /// answer.
    case commandBroken
    /// The chip runs the command; its ACK is lost, its answer is not.
    case acknowledgeLost
    /// The ACK comes twice.
    case acknowledgeDoubled
    /// The chip's ACK comes so much later, and so does its answer.
    case acknowledgeLate(Duration)
    /// The chip runs the command; its answer comes when the next command does, before that one's ACK.
    case replyHeld
    /// A byte of the chip's answer, counted from 0, is lost on the way to the host.
    case replyByteLost(Int)
    /// A byte comes between those of the chip's answer, before the one with this number.
    case replyByteAdded(UInt8, Int)
    /// The supply fails after the ACK: the chip is as after power-up, asleep, without targets, at 115200
    /// baud, and answers nothing.
    case supplyFails
    /// The chip runs the command; a byte of its answer is wrong on the way to the host.
    case replyBroken
    /// The chip runs the command; its answer is lost on the way to the host.
    case replyLost
    /// These bytes stand in place of the chip's answer.
    case replyReplaced([UInt8])
    /// The chip answers nothing any more, until ``VirtualReader/setFaults(_:)`` is called again.
    case chipFallsSilent
    /// The serial line is closed: the reader has been unplugged.
    case lineCloses
  }

  /// When it goes wrong.
  public var moment: Moment
  /// What goes wrong.
  public var effect: Effect

  /// Something that goes wrong at a moment.
  public init(_ effect: Effect, at moment: Moment) {
    self.effect = effect
    self.moment = moment
  }

  /// A repeatable mixture of lost and broken frames, on the air and on the line.
  ///
  /// - Parameters:
  ///   - seed: the same seed gives the same faults.
  ///   - count: how many.
  ///   - range: the exchanges and commands among which they are spread.
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
