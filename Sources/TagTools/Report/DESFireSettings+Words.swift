import NFC
import SecureTags

extension DESFireKeySummary {
  /// The number and kind of the keys, and what they are needed for, for people.
  package var text: String {
    var parts = ["\(keyCount) key\(keyCount == 1 ? "" : "s") (\(kind?.name ?? "unknown cipher"))"]
    if !settings.listsFreely { parts.append("lists with the master key") }
    if !settings.createsFreely { parts.append("creates with the master key") }
    if !settings.isChangeable { parts.append("settings frozen") }
    if !settings.isMasterKeyChangeable { parts.append("master key frozen") }
    switch settings.keyChange {
    case .key(0): break
    case .key(let number): parts.append("keys changed by key \(number)")
    case .sameKey: parts.append("each key changes itself")
    case .nobody: parts.append("keys frozen")
    }
    return parts.joined(separator: ", ")
  }
}

extension DESFireFileSettings {
  /// The type of file, for programs.
  package var typeName: String {
    switch content {
    case .standardData: "standard"
    case .backupData: "backup"
    case .value: "value"
    case .linearRecords: "linear"
    case .cyclicRecords: "cyclic"
    case .transactionMAC: "transactionMAC"
    case .other(let type): "type \([type].hexadecimal)"
    }
  }

  /// The kind of file, and who may do what with it, for people.
  package var text: String {
    let what: String =
      switch content {
      case .standardData(let size): "\(size) bytes of data"
      case .backupData(let size): "\(size) bytes of data with backup"
      case .value(let value): "value from \(value.lowerLimit) to \(value.upperLimit)"
      case .linearRecords(let records):
        "\(records.count) of \(records.maximumCount) records of \(records.recordSize) bytes"
      case .cyclicRecords(let records):
        "\(records.count) of \(max(0, records.maximumCount - 1)) records of \(records.recordSize) bytes, cyclic"
      case .transactionMAC: "transaction MACs"
      case .other: typeName
      }
    let way =
      switch communication {
      case .plain: "plain"
      case .authenticated: "with MAC"
      case .encrypted: "encrypted"
      }
    let additional = additionalRights.map {
      "; also read: \($0.read), write: \($0.write), both: \($0.readWrite)"
    }
    return
      "\(what), \(way); read: \(rights.read), write: \(rights.write), both: \(rights.readWrite), change: \(rights.change)"
      + additional.joined()
  }
}
