import Testing

@testable import VirtualNFC

/// Tests the configuration and the passwords of the virtual ST25TV02KC, command by command (ST's library st25tags,
/// `st25tvc.c`).
@Suite struct ST25TVCTests {
  private typealias Chip = VicinityReader<ST25TV02KC>

  /// A presented password is covered by the random number that the chip has given before.
  private static func present(_ number: UInt8, _ password: [UInt8], to chip: Chip) -> String {
    let answer = [UInt8](hexadecimal: chip.ask("02B402")) ?? []
    let random = answer.dropFirst()
    guard answer.count == 3, let first = random.first, let second = random.last else { return "" }
    let covered = password.enumerated().map {
      $0.element ^ ($0.offset.isMultiple(of: 2) ? first : second)
    }
    return chip.ask("02B302" + ([number] + covered).hexadecimal)
  }

  private static let zeros = [UInt8](repeating: 0, count: 4)

  @Test func theConfigurationNeedsItsPassword() {
    let chip = Chip(ST25TV02KC())
    #expect(chip.ask("02A0020000") == "0000" && chip.ask("02A0020100") == "0000")
    #expect(chip.ask("02A00200") == "0102" && chip.ask("02A0020101") == "0110")
    #expect(chip.ask("02A102000001") == "0112")
    #expect(Self.present(0, [1, 2, 3, 4], to: chip) == "010F")
    #expect(Self.present(0, Self.zeros, to: chip) == "00")
    #expect(chip.ask("02A102000127") == "00" && chip.ask("02A0020001") == "0027")
    #expect(chip.ask("02A1020000") == "0102" && chip.ask("02A102FF0001") == "0110")
    // A second password closes the first, and a random number is valid once.
    #expect(Self.present(1, Self.zeros, to: chip) == "00")
    #expect(chip.ask("02A102000001") == "0112")
    #expect(chip.ask("02B3020000000000") == "010F")
  }

  @Test func theAreasAreProtected() {
    let chip = Chip(ST25TV02KC())
    #expect(Self.present(0, Self.zeros, to: chip) == "00")
    // END_A1 is block 27h; area 1 requires the password to write, area 2 to read and to write.
    for command in ["02A102000127", "02A102000001", "02A102010002"] {
      #expect(chip.ask(command) == "00")
    }
    chip.restart()
    #expect(chip.ask("022027").hasPrefix("00") && chip.ask("022127AABBCCDD") == "0112")
    #expect(chip.ask("022028").hasPrefix("01"))
    #expect(Self.present(2, Self.zeros, to: chip) == "00")
    #expect(chip.ask("022128AABBCCDD") == "00" && chip.ask("022028") == "00AABBCCDD")
    #expect(chip.ask("022127AABBCCDD") == "0112")
    // Two areas have passwords of 4 bytes.
    #expect(Self.present(1, Self.zeros + Self.zeros, to: chip) == "0102")
    #expect(chip.ask("02B10202AABBCCDD") == "0112")
  }

  @Test(arguments: [false, true]) func aLongPassword(_ isWhole: Bool) {
    let chip = Chip(ST25TV02KC(takesLongPassword: isWhole))
    #expect(Self.present(1, Self.zeros, to: chip) == "0102")
    #expect(Self.present(1, Self.zeros + Self.zeros, to: chip) == "00")
    let (whole, half) = ("02B102011122334455667788", "02B1020111223344")
    #expect(chip.ask(isWhole ? half : whole) == "0102")
    #expect(chip.ask(isWhole ? whole : half) == "00")
    if !isWhole { #expect(chip.ask("02B1020255667788") == "00") }
    chip.restart()
    let new: [UInt8] = [0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88]
    #expect(Self.present(1, Self.zeros + Self.zeros, to: chip) == "010F")
    #expect(Self.present(1, new, to: chip) == "00")
  }

  @Test func blockZeroCanAlwaysBeRead() {
    let chip = Chip(ST25TV02KC())
    #expect(Self.present(0, Self.zeros, to: chip) == "00")
    #expect(chip.ask("02A102000002") == "00")
    chip.restart()
    #expect(chip.ask("022000").hasPrefix("00E140"))
    #expect(chip.ask("022001").hasPrefix("01") && chip.ask("022100AABBCCDD") == "0112")
  }

  @Test func aLockedConfigurationStays() {
    let chip = Chip(ST25TV02KC(isConfigurationLocked: true))
    #expect(Self.present(0, Self.zeros, to: chip) == "00")
    #expect(chip.ask("02A102000001") == "0112")
  }
}
