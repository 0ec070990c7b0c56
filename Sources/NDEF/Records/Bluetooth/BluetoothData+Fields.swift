extension BluetoothData {
  /// Writes the complete name, or no name.
  mutating func setLocalName(_ name: String?) {
    self[.completeLocalName] = name.map { Array($0.utf8) }
  }

  /// Writes the `name` of a Bluetooth record.
  mutating func setLocalName(_ fields: NDEFFields) throws(NDEFFieldError) {
    let name = try fields.text("name")
    if let name {
      do throws(NDEFSyntaxError) {
        try Self.validate(name: name)
      } catch {
        throw NDEFFieldError([.name("name")], error.reason)
      }
    }
    setLocalName(name)
  }

  private static let largestClassOfDevice: UInt32 = 0xFF_FFFF

  /// Writes the `classOfDevice` of a Bluetooth record, which has 24 bits.
  mutating func setClassOfDevice(_ fields: NDEFFields) throws(NDEFFieldError) {
    guard let value: UInt32 = try fields.integer("classOfDevice") else { return }
    guard value <= Self.largestClassOfDevice else {
      throw NDEFFieldError(
        [.name("classOfDevice")], "\(value) is not between 0 and \(Self.largestClassOfDevice)")
    }
    self[.classOfDevice] = [0, 8, 16].map { UInt8(truncatingIfNeeded: value >> $0) }
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
      let members = uuids.filter { $0.bytes.count == list.uuidLength }
      guard let length = list.uuidLength, !members.isEmpty else { continue }
      guard members.count <= Self.maximumValueLength / length else {
        throw NDEFFieldError(
          [.name("services")],
          "of the \(members.count) UUIDs of \(length) bytes, at most "
            + "\(Self.maximumValueLength / length) fit")
      }
      self[list] = members.flatMap { $0.bytes.reversed() }
    }
  }

  // MARK: Other structures

  private static let otherDataName = "otherData"

  /// The types whose values have fields of their own in every Bluetooth record.
  private static let commonTypes: Set<DataType> = [
    .shortenedLocalName, .completeLocalName, .incompleteServiceUUIDs16, .completeServiceUUIDs16,
    .incompleteServiceUUIDs32, .completeServiceUUIDs32, .incompleteServiceUUIDs128,
    .completeServiceUUIDs128,
  ]

  private static let typeNames: [(type: DataType, name: String)] = [
    (.flags, "flags"), (.simplePairingHash192, "simplePairingHash192"),
    (.simplePairingRandomizer192, "simplePairingRandomizer192"),
    (.securityManagerTKValue, "securityManagerTKValue"),
    (.securityManagerOutOfBandFlags, "securityManagerOutOfBandFlags"),
    (.simplePairingHash256, "simplePairingHash256"),
    (.simplePairingRandomizer256, "simplePairingRandomizer256"),
    (.leSecureConnectionsConfirmation, "leSecureConnectionsConfirmation"),
    (.leSecureConnectionsRandom, "leSecureConnectionsRandom"),
    (.manufacturerSpecific, "manufacturerSpecific"),
  ]

  /// Returns `otherData`: the structures that have no field of their own, such as the hash for pairing; `nil` if there
  /// are none.
  ///
  /// - Parameter shown: the types that the record shows in addition to names and services.
  func otherData(than shown: Set<DataType>) -> NDEFFieldValue? {
    let others = structures.filter {
      !Self.commonTypes.contains($0.type) && !shown.contains($0.type)
    }
    guard !others.isEmpty else { return nil }
    return .list(
      others.map { structure in
        let name = Self.typeNames.first { $0.type == structure.type }?.name
        return .fields([
          "type": .text(name ?? [structure.type.rawValue].hexadecimal),
          "value": .text(structure.value.hexadecimal),
        ])
      })
  }

  /// Appends the structures in `otherData` of a Bluetooth record. Their type is a name or two hexadecimal digits.
  mutating func appendOtherData(_ fields: NDEFFields) throws(NDEFFieldError) {
    structures += try fields.list(Self.otherDataName) { (element) throws(NDEFFieldError) in
      let content = try element.fields()
      let name = try content.requiredText("type")
      let digits = [UInt8](hexadecimal: name) ?? []
      let number = digits.count == 1 ? digits.first.map(DataType.init(rawValue:)) : nil
      guard let type = Self.typeNames.first(where: { $0.name == name })?.type ?? number else {
        throw NDEFFieldError(
          [.name("type")],
          "\"\(name.escapingControls)\" is neither a known type nor two hexadecimal digits")
      }
      let value = try content.bytes("value") ?? []
      do throws(NDEFError) {
        try type.check(value[...])
      } catch {
        throw NDEFFieldError([.name("value")], error.reason)
      }
      guard value.count <= Self.maximumValueLength else {
        throw NDEFFieldError(
          [.name("value")],
          "it has \(value.count) bytes, and at most \(Self.maximumValueLength) fit")
      }
      return Structure(type, value)
    }
  }
}
