extension BluetoothData {
  /// Writes the complete name, or no name.
  mutating func setLocalName(_ name: String?) {
    self[.completeLocalName] = name.map { Array($0.utf8) }
  }

  /// Writes the low 24 bits of a Class of Device, or no class.
  mutating func setClassOfDevice(_ value: UInt32?) {
    self[.classOfDevice] = value.map { value in
      [0, 8, 16].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
  }

  /// Writes the UUIDs in `services` of a Bluetooth record as one complete list per length.
  mutating func setServiceUUIDs(_ fields: NDEFFields) throws(NDEFFieldError) {
    let uuids = try fields.list("services") { (value) throws(NDEFFieldError) in
      let text = try value.text()
      guard let uuid = [UInt8](hexadecimal: text).flatMap({ BluetoothUUID($0) }) else {
        throw NDEFFieldError(
          [], "\"\(text.escapingControls)\" is not a UUID of 2, 4 or 16 bytes")
      }
      return uuid
    }
    let lists: [DataType] = [
      .completeServiceUUIDs16, .completeServiceUUIDs32, .completeServiceUUIDs128,
    ]
    for list in lists {
      let value = uuids.filter { $0.bytes.count == list.uuidLength }.flatMap { $0.bytes.reversed() }
      if !value.isEmpty { self[list] = value }
    }
  }
}
