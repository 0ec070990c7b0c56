import NFC

extension NDEFMessage {
  /// What a message says, in a few words for one line: the link or text of its only record, or the number of its
  /// records. Passwords, keys and persons are not part of it: a result is kept in logs.
  var summary: String {
    guard records.count == 1, let record = records.first else {
      return records.isEmpty ? "nothing" : "\(records.count) records"
    }
    return record.summary
  }
}

extension NDEFRecord {
  private static let longestSummary = 60

  fileprivate var summary: String {
    let text: String
    switch try? decoded {
    case let record as URIRecord: text = record.uri
    case let record as TextRecord: text = "\"\(record.text)\""
    case let record as SmartPosterRecord: text = record.uri.uri
    case is WiFiRecord: return "a Wi-Fi network"
    case is VCardRecord: return "a contact"
    case is EmptyRecord: return "nothing"
    case let record as AndroidApplicationRecord: text = record.description
    case is BluetoothRecord, is BluetoothLERecord: return "a Bluetooth device"
    case let record as MIMERecord: text = record.mediaType
    case let record as ExternalRecord: text = record.type
    default: return "1 record"
    }
    let line = text.onOneLine
    return line.count > Self.longestSummary ? line.prefix(Self.longestSummary - 1) + "…" : line
  }
}
