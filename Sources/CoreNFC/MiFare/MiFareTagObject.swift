import Foundation
import NFC

/// A MIFARE or NTAG tag that a session reports.
final class MiFareTagObject: TypedTagObject, NFCMiFareTag, @unchecked Sendable {
  let miFare: any MiFareTag

  init(_ tag: any MiFareTag, in core: SessionCore) {
    miFare = tag
    super.init(tag, .miFare, in: core)
  }

  required init?(coder: NSCoder) { nil }

  override var requiresConnection: Bool { true }
  override var tag: NFCTag? { .miFare(self) }

  var mifareFamily: NFCMiFareFamily {
    switch miFare.family {
    case .ultralight: .ultralight
    case .plus: .plus
    case .desfire: .desfire
    case .classic, .unknown: .unknown
    }
  }

  var identifier: Data { Data(miFare.identifier) }
  var historicalBytes: Data? {
    miFare.historicalBytes.isEmpty ? nil : Data(miFare.historicalBytes)
  }

  func sendMiFareCommand(
    commandPacket command: Data, completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void
  ) {
    perform { [miFare] in
      guard !command.isEmpty else { throw NFCReaderError(.readerErrorInvalidParameterLength) }
      return Data(try await miFare.sendMiFareCommand(Array(command)))
    } completion: { result in
      let (answer, error) = result.answer(or: Data())
      completionHandler(answer, error)
    }
  }

  func sendMiFareISO7816Command(
    _ apdu: NFCISO7816APDU,
    completionHandler: @escaping @Sendable (Data, UInt8, UInt8, (any Error)?) -> Void
  ) {
    let command = Result { try apdu.native() }
    perform { [miFare] in
      guard [.plus, .desfire].contains(miFare.family), let card = miFare.iso7816 else {
        throw NFCReaderError(.readerErrorUnsupportedFeature)
      }
      return try await card.transmit(command.get())
    } completion: {
      $0.complete(completionHandler)
    }
  }
}
