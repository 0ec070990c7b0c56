/// The query of a link, in which the parts of a message are found by name or by form.
struct SUNQuery {
  private struct Parameter {
    let name: String
    let value: Range<Int>
  }

  private let link: [UInt8]
  private let parameters: [Parameter]

  init(_ link: [UInt8]) {
    self.link = link
    let end = link.firstIndex(of: UInt8(ascii: "#")) ?? link.endIndex
    guard let mark = link[..<end].firstIndex(of: UInt8(ascii: "?")) else {
      parameters = []
      return
    }
    parameters = link[(mark + 1)..<end].split(separator: UInt8(ascii: "&")).compactMap { field in
      guard let equals = field.firstIndex(of: UInt8(ascii: "=")) else { return nil }
      return Parameter(
        name: String(decoding: field[..<equals], as: UTF8.self).lowercased(),
        value: (equals + 1)..<field.endIndex)
    }
  }

  private typealias Places = [SUNError.Part: Range<Int>]

  /// - Throws: ``SUNError/missing(_:)``, ``SUNError/malformed(_:_:)`` for a parameter whose name
  ///   can refer to only one part and whose value is not such a part.
  func places(_ names: SUNParameterNames) throws(SUNError) -> [SUNError.Part: Range<Int>] {
    let places: Places
    do {
      places = try namedPlaces(names)
    } catch {
      // NTAG 22x DNA insert everything in one place, whose parameter may have any name, such as that of the UID.
      guard let places = separatedPlaces(in: parameters) else { throw error }
      return places
    }
    if places[.mac] != nil { return places }
    guard let places = placesInOneParameter(names) else { throw .missing(.mac) }
    return places
  }

  private func namedPlaces(_ names: SUNParameterNames) throws(SUNError) -> Places {
    var places: Places = [:]
    for part in Self.parts {
      var wanted = names.names(of: part).map { $0.lowercased() }
      if part == .piccData, places[.uid] != nil, places[.counter] != nil {
        // A chip inserts both either readable or encrypted (NT4H2421Gx data sheet, 10.7.1, table 69): a
        // name of two parts means the file data then.
        let others = Set(names.fileData.map { $0.lowercased() })
        wanted.removeAll { others.contains($0) }
      }
      let taken = Set(places.values)
      let candidates = wanted.flatMap { name in
        parameters.filter { $0.name == name && !taken.contains($0.value) }
      }
      if let found = candidates.first(where: { isPart(part, $0.value) }) {
        places[part] = found.value
      } else if candidates.contains(where: { isOnly(part, $0.name, names) }) {
        throw .malformed(part, part.form)
      }
    }
    return places
  }

  /// The parts, in the order in which parameters are assigned to them.
  private static let parts: [SUNError.Part] = [.mac, .uid, .counter, .piccData, .fileData]

  private func isPart(_ part: SUNError.Part, _ value: Range<Int>) -> Bool {
    guard part != .tamperStatus else { return SUNTamperStatus(link[value]) != nil }
    return part.canHave(digits: value.count) && HexadecimalText.isHexadecimal(link[value])
  }

  private func isOnly(
    _ part: SUNError.Part, _ name: String, _ names: SUNParameterNames
  ) -> Bool {
    // A single letter may mean anything.
    guard name.utf8.count > 1 else { return false }
    return Self.parts.allSatisfy { other in
      names.names(of: other).contains { $0.lowercased() == name } == (other == part)
    }
  }

  /// Returns the places of all parts in one value: separated by an `x`, as in NTAG 21x mirrors, or
  /// without a separator.
  private func placesInOneParameter(_ names: SUNParameterNames) -> Places? {
    for parameter in parameters
    where !Self.parts.contains(where: { isOnly($0, parameter.name, names) }) {
      if let places = separatedPlaces(in: [parameter]) ?? placesRunTogether(parameter.value) {
        return places
      }
    }
    return nil
  }

  /// Returns the places of all parts in the first value in which an `x` separates them.
  private func separatedPlaces(in parameters: [Parameter]) -> Places? {
    for parameter in parameters {
      let fields = link[parameter.value].split(separator: UInt8(ascii: "x")).map {
        $0.startIndex..<$0.endIndex
      }
      if fields.count > 1, let places = placesOfFields(fields) { return places }
    }
    return nil
  }

  private static let separatedParts: [SUNError.Part] = [
    .uid, .counter, .tamperStatus, .mac, .piccData, .fileData,
  ]

  private func placesOfFields(_ fields: [Range<Int>]) -> Places? {
    var places: Places = [:]
    for field in fields {
      guard
        let part = Self.separatedParts.first(where: {
          // After a readable UID and counter, there is no encrypted one (NT4H2421Gx data sheet, 10.7.1, table 69).
          let isReadable = $0 == .piccData && places[.uid] != nil && places[.counter] != nil
          return places[$0] == nil && !isReadable && isPart($0, field)
        })
      else { return nil }
      places[part] = field
    }
    return places[.mac] == nil ? nil : places
  }

  /// Returns the places of encrypted PICC data, file data if there is any, and MAC.
  private func placesRunTogether(_ value: Range<Int>) -> Places? {
    guard HexadecimalText.isHexadecimal(link[value]) else { return nil }
    let macDigits = 2 * SUNMessage.macSize
    for mode in [SUNMode.aes, .lrp] {
      let piccDigits = 2 * mode.piccDataSize
      let fileDigits = value.count - piccDigits - macDigits
      guard fileDigits >= 0, fileDigits % (2 * AESBlock.size) == 0 else { continue }
      let (start, end) = (value.lowerBound, value.upperBound)
      var places: Places = [
        .piccData: start..<start + piccDigits, .mac: (end - macDigits)..<end,
      ]
      if fileDigits > 0 { places[.fileData] = (start + piccDigits)..<(end - macDigits) }
      return places
    }
    return nil
  }
}
