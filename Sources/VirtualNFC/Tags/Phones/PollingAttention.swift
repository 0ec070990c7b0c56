/// The way in which a phone listens to the polling of a reader before it answers.
///
/// It needs the right frame twice, each after a request that it has not answered, and answers the next request. The frame
/// is compared bit by bit, with its check bytes; another one does not count. After three requests in a row without a
/// frame, it begins again: a real phone then thinks of payment. A field that is off for a moment counts as the same field,
/// and what the reader says to other tags is ignored, of which no source says anything.
///
/// Source: kormax/apple-enhanced-contactless-polling, README.
struct PollingAttention: Hashable, Sendable {
  /// The frame as it is on the air; `nil` if the owner has chosen the pass, so that any reader is answered.
  let frame: RadioFrame?
  private var framesHeard = 0
  private var isAsked = false
  private var plainRequests = 0
  private(set) var isAwake: Bool

  private static let neededFrames = 2
  private static let mostPlainRequests = 3
  private static let requests: Set<UInt8> = [0x26, 0x52]

  init(frame: RadioFrame?) {
    self.frame = frame
    isAwake = frame == nil
  }

  /// Forgets what was heard, as after a transaction.
  mutating func sleep() { self = PollingAttention(frame: frame) }

  /// Hears a frame, and returns whether the phone answers it.
  mutating func hears(_ heard: RadioFrame) -> Bool {
    guard !isAwake, let frame else { return true }
    if heard.modulation == .typeA, heard.bitsInLastByte == 7, heard.bytes.count == 1,
      Self.requests.contains(heard.bytes[0])
    {
      isAwake = framesHeard >= Self.neededFrames
      plainRequests += 1
      if plainRequests >= Self.mostPlainRequests { framesHeard = 0 }
      isAsked = true
      return isAwake
    }
    guard heard.modulation == frame.modulation else { return false }
    plainRequests = 0
    if heard == frame, isAsked || frame.modulation != .typeA { framesHeard += 1 }
    isAsked = false
    return false
  }
}
