import Foundation
import NFC

/// A MIFARE or NTAG tag that a session gives out.
final class MiFareTagObject: TypedTagObject, NFCMiFareTag, @unchecked Sendable {
  let miFare: any MiFareTag

  init(_ tag: any MiFareTag, in core: SessionCore) {
    miFare = tag
    super.init(tag, .miFare, in: core)
  }

  required init?(coder: NSCoder) { nil }

  override var tag: NFCTag? { .miFare(self) }

  var mifareFamily: NFCMiFareFamily { NFCMiFareFamily(miFare.family) }
  var identifier: Data { Data(miFare.identifier) }
  var historicalBytes: Data? { miFare.historicalBytes.isEmpty ? nil : Data(miFare.historicalBytes) }

  func sendMiFareCommand(
    commandPacket command: Data,
    completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void
  ) {
    let command = Array(command)
    perform { [miFare] in
      try await miFare.sendMiFareCommand(command)
    } completion: { result in
      switch result {
      case .success(let answer): completionHandler(Data(answer), nil)
      case .failure(let error): completionHandler(Data(), error)
      }
    }
  }

  func sendMiFareISO7816Command(
    _ apdu: NFCISO7816APDU,
    completionHandler: @escaping @Sendable (Data, UInt8, UInt8, (any Error)?) -> Void
  ) {
    let command = apdu.native
    perform { [miFare] in
      try command.checkLengths()
      guard [.plus, .desfire].contains(miFare.family), let card = miFare.iso7816 else {
        throw NFCReaderError(.readerErrorUnsupportedFeature)
      }
      return try await card.sendCommand(command, options: command.isExtended ? .automatic : .raw)
    } completion: { result in
      result.complete(completionHandler)
    }
  }
}
