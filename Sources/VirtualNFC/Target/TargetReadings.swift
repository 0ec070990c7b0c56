extension VirtualPN532 {
  /// What no public source settles of a PN532 that acts as a card, with both readings.
  public struct TargetReadings: Hashable, Sendable {
    /// What TgGetData and TgSetData report when the field has gone.
    @nonexhaustive
    public enum FieldLoss: Hashable, Sendable {
      /// A status: 2B in one user's log; nfcpy expects 0A, 29 and 31.
      case status(UInt8)
      /// Nothing: TgGetData waits on.
      case nothing
    }

    /// How the chip reports that the reader addresses a node (NAD) in a block.
    @nonexhaustive
    public enum NodeAddress: Hashable, Sendable {
      /// Status 13, a wrong format.
      case formatError
      /// Bit 7 of the status, for which libnfc 1.8.0 ends the process.
      case statusBit
    }

    /// What follows the mode byte in the answer to TgInitAsTarget.
    @nonexhaustive
    public enum FirstFrame: Hashable, Sendable {
      /// The RATS, as in every log.
      case request
      /// The first command instead, which TgGetData does not return any more.
      case command
      /// Nothing.
      case none
    }

    /// What is reported when the field has gone.
    public var fieldLoss = FieldLoss.status(0x2B)
    /// Whether a reader can activate the card again after S(DESELECT), without the host.
    public var isActivatedAgain = false
    /// Whether the firmware requests more time while the host has not answered.
    public var extendsWaitingTime = true
    /// How a node address is reported.
    public var nodeAddress = NodeAddress.formatError
    /// What follows the mode byte.
    public var firstFrame = FirstFrame.request
    /// How often TgGetData has the status 25 directly after an activation.
    public var earlyStates = 0
    /// Whether the first TgGetData after an activation is never answered.
    public var swallowsFirstCommand = false
    /// Whether an attribute request of NFC-DEP activates the chip, which is then released.
    public var answersDEP = false

    /// Creates the readings that most sources agree with.
    public init() {}
  }
}
