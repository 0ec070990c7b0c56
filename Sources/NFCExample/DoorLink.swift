import NFC

/// Hands a link to every phone: `swift run NFCExample door READER`.
enum DoorLink {
  /// - Parameter address: the connection string of a reader that can act as a card, such as a PN532.
  static func offer(_ link: String, on address: String) async throws {
    let reader = try await Reader.open(address)
    let message = NDEFMessage(.uri(link))
    do {
      for try await event in EmulatedCard(try .ndef(message), on: reader).events {
        switch event {
        case .ready(let uid): print("waiting for phones as", uid.hexadecimal)
        case .read(let count): print("a phone has read \(count) bytes")
        default: break
        }
      }
    } catch NFCError.Code.unsupported {
      print("this reader cannot act as a card; a PN532 can")
    }
    await reader.close()
  }
}
