import CoreNFC

/// Reads the latest journeys of a Japanese transit card (Suica and related cards).
///
/// Info.plist lists the system 0003 under `com.apple.developer.nfc.readersession.felica.systemcodes`.
public final class TransitHistoryReader: NSObject, NFCTagReaderSessionDelegate {
  /// One entry of the card's history, as users have worked out its format.
  public struct Entry: Equatable {
    public let year: Int
    public let month: Int
    public let day: Int
    /// The yen left on the card.
    public let balance: Int

    /// - Parameter block: 16 bytes, with the date in bytes 4 and 5 and the balance in bytes 10 and
    ///   11, least significant byte first.
    init?(block: Data) {
      let bytes = Array(block)
      guard bytes.count == 16 else { return nil }
      let date = Int(bytes[4]) << 8 | Int(bytes[5])
      year = 2000 + date >> 9
      month = date >> 5 & 0x0F
      day = date & 0x1F
      balance = Int(bytes[10]) | Int(bytes[11]) << 8
    }
  }

  /// The history's service code, in the byte order of block lists and service lists.
  private static let historyService = Data([0x0F, 0x09])
  private static let blockCount: UInt8 = 10

  private var session: NFCTagReaderSession?
  private let completion: (Result<[Entry], Error>) -> Void
  private var entries: [Entry]?

  public init(completion: @escaping (Result<[Entry], Error>) -> Void) {
    self.completion = completion
  }

  public func startScanning() {
    session = NFCTagReaderSession(pollingOption: .iso18092, delegate: self)
    session?.alertMessage = "Hold the card near the reader"
    session?.begin()
  }

  public func tagReaderSessionDidBecomeActive(_ session: NFCTagReaderSession) {}

  public func tagReaderSession(_ session: NFCTagReaderSession, didDetect tags: [NFCTag]) {
    guard let found = tags.first, case .feliCa(let tag) = found else { return }
    session.connect(to: found) { error in
      if let error {
        session.invalidate(errorMessage: error.localizedDescription)
        return
      }
      tag.readWithoutEncryption(
        serviceCodeList: [Self.historyService],
        blockList: (0..<Self.blockCount).map { Data([0x80, $0]) }
      ) { status1, status2, blocks, error in
        guard error == nil, status1 == 0, status2 == 0 else {
          session.invalidate(errorMessage: "The card has no history")
          return
        }
        self.entries = blocks.compactMap(Entry.init)
        session.alertMessage = "\(blocks.count) entries"
        session.invalidate()
      }
    }
  }

  public func tagReaderSession(
    _ session: NFCTagReaderSession, didInvalidateWithError error: Error
  ) {
    self.session = nil
    completion(entries.map { .success($0) } ?? .failure(error))
  }
}
