import Testing

/// Apple's interface of iOS 18, counted.
@Suite struct CoverageTests {
  /// How many types and members each area has: errors, sessions and NDEF; ISO 15693; FeliCa; ISO 7816 and
  /// MIFARE; the services that Apple alone has.
  private static let areas: [(area: Area, types: Int, members: Int)] = [
    (SessionMembers.area, 18, 142), (iso15693Members, 9, 112), (feliCaMembers, 8, 72),
    (iso7816AndMiFareMembers, 5, 36),
    (appleServiceMembers, 17, 72),
  ]

  @Test func everyMemberIsThere() {
    for (area, types, members) in Self.areas {
      print(
        "Core NFC, \(area.name): \(area.types.count) of \(types) types, "
          + "\(area.members.count) of \(members) members")
      #expect(area.types.count == types)
      #expect(area.members.count == members)
      #expect(Set(area.types).count == area.types.count)
      let names = area.members.map(\.name)
      #expect(
        Set(names).count == names.count,
        "\(names.filter { name in names.filter { $0 == name }.count > 1 })")
    }
    let types = Self.areas.map(\.area.types.count).reduce(0, +)
    let members = Self.areas.map(\.area.members.count).reduce(0, +)
    print("Core NFC: \(types) of 57 types, \(members) of 434 members")
    #expect(types == 57)
    #expect(members == 434)
  }
}
