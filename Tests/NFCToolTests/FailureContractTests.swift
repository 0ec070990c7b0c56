import Foundation
import Testing

/// Tests of the properties that all failures share.
@Suite struct FailureContractTests {
  /// The error for an unknown word suggests the nearest command, whatever is beside the word.
  @Test(arguments: [
    ("raed --virtual ntag216", "nfc read"), ("--json pol", "nfc poll"),
    ("mifare raed 0", "nfc mifare read"),
    ("write url x --virtual ntag216", "nfc write uri"), ("help wriet", "nfc write"),
    ("help write ur", "nfc write uri"),
    ("write https://swift.org --virtual ntag216", "nfc write uri https"),
    ("felica --json raed", "nfc felica read"), ("read --uidd 04", "--uid"),
    ("poll --onse", "--once"), ("--virutal ntag213 read", "--virtual?"),
    ("--virtual ntag213 --jsn read", "--json?"), ("write uri --verfy", "--verify?"),
    ("lock --jsn", "--json?"), ("mifare --virtal ntag213 send 3000", "--virtual?"),
    ("write wifi N --pass x", "--password"), ("poll --virt demo", "--virtual?"),
    ("info ntag215", "--virtual ntag215?"), ("poll demo", "--virtual demo?"),
    ("virtual ntag215 poll", "nfc poll --virtual"), ("poll --virtual a,b", "--virtual b"),
    ("watch --inst", "--install?"), ("--virtual demo", "nfc --virtual demo poll"),
    ("--json", "a command is missing"), ("wifi", "nfc write wifi?"), ("help foo", "foo"),
    ("iso15693", "read"), ("mifare read 0 --kes x", "--keys?"),
    ("mifare read 0 --ky x", "--key?"), ("virtual gone.bin poll", "nfc poll --virtual gone.bin"),
    ("--reader poll", "--reader lacks its value"), ("--json --virtual read", "--virtual lacks"),
    ("detect", "nfc poll?"), ("devices", "nfc readers?"), ("emulate ntag215", "no Type 2"),
    ("felica save x", "felica --help"), ("phone 1", "nfc write tel 1?"),
    ("felica url x", "felica --help"),
    ("write hello", "nfc write text hello"), ("write --uri https://a.example", "nfc write uri?"),
    ("write wifi --ssid Guests", "nfc write wifi <ssid>"), ("-V", "--version"), ("-v", "--version"),
    ("poll -r pn532_uart:/dev/x", "--reader?"), ("read -j", "--json?"),
    ("poll pn532_uart:/dev/ttyUSB0", "--reader pn532_uart:/dev/ttyUSB0?"),
    ("poll /dev/ttyUSB0", "--reader pn532_uart:/dev/ttyUSB0"),
    ("write text hello world", "in quotation marks"),
    ("encode text a b --output x", "in quotation marks"),
    ("url https://a.example", "nfc write uri https://a.example?"),
    ("https://a.example", "nfc write uri https://a.example?"),
    ("wifi Guests --password secret", "nfc write wifi Guests?"), ("text hi", "nfc write text hi?"),
    ("ls", "nfc readers?"), ("desfire ls", "nfc desfire info?"), ("wipe", "nfc erase?"),
    ("delete", "nfc erase?"), ("show", "nfc read?"), ("get", "nfc read?"), ("clone", "nfc copy?"),
    ("password", "nfc protect?"), ("unlock", "nfc unprotect?"), ("status", "nfc doctor?"),
    ("mifare write 4 00112233", "nfc write?"), ("iso15693 dump x.bin", "nfc dump?"),
    ("write --virtual ntag213", "nfc write needs one of uri"),
    ("--virtual ntag213 write", "nfc write needs one of uri"),
    ("iso15693 --timeout 1", "nfc iso15693 needs one of info"),
    ("desfire --key 0:00", "nfc desfire needs one of info"),
  ])
  func namesTheNearestWord(_ line: String, _ nearest: String) async throws {
    let result = try await Tool.run(line.split(separator: " ").map(String.init))
    #expect(result.status == (line == "iso15693" ? 0 : 64))
    let text = line == "iso15693" ? result.output : result.errors
    #expect(text.contains(nearest), "\(text)")
    if line.contains(" secret") { #expect(!text.contains("secret")) }
    if line != "iso15693" {
      #expect(result.output == "")
      #expect(result.errors.hasPrefix("nfc: "))
      #expect(!result.errors.contains("Unknown option '--virtual'"))
    }
  }

  @Test(arguments: [
    ("/dev/ttyUSB0", "--reader pn532_uart:/dev/ttyUSB0"),
    ("/dev/i2c-1", "--reader pn532_i2c:/dev/i2c-1"),
    ("PN532_UART:/dev/ttyUSB0", "--reader pn532_uart:/dev/ttyUSB0"), ("acr122u", "acr122_usb"),
    ("nonsense", "nfc doctor --reader nonsense"),
    ("acr122u", "leave out --reader"), ("acr122_usb", "leave out --reader"),
    ("ACR122U", "leave out --reader"), ("PN53x_USB:", "leave out --reader"),
    ("pn532_uart", "--reader pn532_uart:/dev/ttyUSB0"), ("pn532_i2c", "pn532_i2c:/dev/i2c-1"),
    ("pn532_spi:", "--reader pn532_spi:/dev/spidev0.0"), ("i2c", "--reader pn532_i2c:/dev/i2c-1"),
    ("UART:/dev/ttyACM0", "--reader pn532_uart:/dev/ttyACM0"),
    ("pn532:/dev/i2c-1", "--reader pn532_i2c:/dev/i2c-1"),
    ("pn532_usb:/dev/ttyUSB0", "--reader pn532_uart:/dev/ttyUSB0"),
    ("pn532_uart /dev/ttyUSB0", "--reader pn532_uart:/dev/ttyUSB0"),
    ("pn532_uart:/dev/i2c-9", "--reader pn532_i2c:/dev/i2c-9"),
    ("pn532_uart:ttyNONE7", "--reader pn532_uart:/dev/ttyNONE7"),
    ("pn532_uart:/dev/ttyNONE7", "nfc doctor --reader pn532_uart:/dev/ttyNONE7"),
    ("arygon:/dev/ttyNONE7", "nfc doctor --reader arygon:/dev/ttyNONE7"),
    ("acr122s:/dev/ttyNONE7", "--reader ACR122S:/dev/ttyNONE7"),
    ("/dev/serial0", "--reader pn532_uart:/dev/serial0"),
    ("ACS ACR122U PICC Interface 00 00", "--reader 'pcsc:ACS ACR122U PICC Interface 00 00'"),
  ])
  func namesTheNearestAddress(_ address: String, _ nearest: String) async throws {
    let result = try await Tool.run("poll", "--reader", address)
    #expect(result.status == 69)
    #expect(result.errorLines.count == 1)
    #expect(result.errors.contains(nearest), "\(result.errors)")
  }

  /// The environment variable has the same effect as the option, and another form; the doctor and `watch`, which would
  /// wait for the reader, say the same.
  @Test(arguments: [
    ("/dev/ttyUSB0", "pn532_uart:/dev/ttyUSB0"), ("i2c", "pn532_i2c:/dev/i2c-1"),
    ("pn532_uart:/dev/i2c-9", "pn532_i2c:/dev/i2c-9"), ("pn532", "pn532_uart:/dev/ttyUSB0"),
    ("ACS ACR122U", "'pcsc:ACS ACR122U'"), ("acr122u", nil),
  ])
  func namesTheNearestAddressInItsForm(_ address: String, _ nearest: String?) async throws {
    for command in ["read", "doctor", "watch"] where command != "watch" || !address.contains(":") {
      let option = try await Tool.run(command, "--reader", address)
      let variable = try await Tool.run([command], environment: ["NFC_READER": address])
      for (result, advice) in [
        (option, nearest.map { "--reader \($0)" } ?? "leave out --reader"),
        (variable, nearest.map { "NFC_READER=\($0)" } ?? "unset NFC_READER"),
      ] {
        #expect(result.status == 69, "\(command)")
        #expect(result.errorLines.count == 1)
        #expect(result.errors.contains(advice), "\(command): \(result.errors)")
        if command == "doctor" { #expect(result.output.contains(advice), "\(result.output)") }
      }
      #expect(!variable.errors.contains("--reader"), "\(variable.errors)")
      let json = try await Tool.run("doctor", "--json", "--reader", address)
      #expect(json.output.contains(nearest ?? "leave out --reader"), "\(json.output)")
    }
  }

  @Test(arguments: [
    ("ntag217", "ntag213"), ("ntga215", "ntag215"), ("ultralihgt", "ultralight"), ("demoo", "demo"),
    ("mifare-classic", "did you mean classic-1k, classic-4k?"),
    ("MIFARE Classic 1K", "did you mean classic-1k?"), ("st25", "st25tv"),
    ("mifare-ultralight", "did you mean ultralight?"), ("ntag-424-dna", "mean ntag424?"),
    ("iso15693", "icode-slix2"), ("felica", "felica-lite-s"), ("mifare", "classic-1k"),
    ("slix", "icode-slix"), ("passport", "emrtd"), ("jewel", "topaz96"),
    ("MIFARE Ultralight EV1", "did you mean ultralight-ev1, ultralight?"),
  ])
  func namesTheNearestTag(_ name: String, _ nearest: String) async throws {
    let result = try await Tool.run("poll", "--once", "--virtual", name)
    #expect(result.status == 64)
    #expect(result.errors.contains(nearest))
    #expect(result.errorLines.count == 1)
    #expect(result.errors.count < 200)
  }

  @Test(arguments: [
    "NTAG215", "ntag_215", "Ntag 215", "ultralightc", "BLANK-NTAG215", "Felica_Lite_S",
  ])
  func namesOfTagsFoldCaseAndPunctuation(_ name: String) async throws {
    let result = try await Tool.run("poll", "--once", "--virtual", name)
    #expect(result.status == 0)
  }

  @Test func listsTheNamesOfVirtualTags() async throws {
    let result = try await Tool.run("virtual", "--list")
    #expect(result.status == 0)
    for name in ["ntag216", "blank-ntag216", "suica", "demo"] {
      #expect(result.lines.contains(name))
    }
    #expect(!result.lines.contains("blank-suica"))
  }

  @Test func hasAVersion() async throws {
    let result = try await Tool.run("--version")
    #expect(result.status == 0)
    #expect(result.output.wholeMatch(of: /nfc [0-9]+\.[0-9]+\.[0-9]+\n/) != nil)
  }

  /// A closed standard output fails every command that prints, instead of making it wait forever.
  @Test(arguments: ["--version", "read --virtual ntag216", "virtual ntag216"])
  func aClosedStandardOutputIsAnError(_ line: String) async throws {
    let result = try await Tool.shell(#"timeout -s KILL 20 "$NFC" "# + line + " >&-")
    #expect(result.status == 74)
    #expect(result.errorLines.count == 1)
    #expect(result.errors.hasPrefix("nfc: cannot write to standard output"))
  }

  @Test func otherClosedStreamsAreNoHindrance() async throws {
    let input = try await Tool.shell(#"timeout -s KILL 20 "$NFC" decode - <&-"#)
    #expect((65...74).contains(input.status))
    #expect(input.errorLines.count == 1)
    for closed in ["<&-", "2>&-", "<&- 2>&-"] {
      let result = try await Tool.shell(
        #"timeout -s KILL 20 "$NFC" read --json --virtual ntag216 "# + closed)
      #expect(result.status == 0)
      #expect(result.lines.count == 1)
    }
    let failed = try await Tool.shell(#"timeout -s KILL 20 "$NFC" decode /nowhere 2>&-"#)
    #expect(failed.status == 66)
    #expect(failed.output == "")
  }

  @Test(arguments: ["0", "1", "26", "-5", "nonsense", "99999999999999999999", "400"])
  func helpIsShownOnAnyTerminal(_ columns: String) async throws {
    for arguments in [["--help"], ["info", "--help"], ["write", "uri"]] {
      let result = try await Tool.run(arguments, environment: ["COLUMNS": columns])
      #expect(result.status == (arguments.last == "--help" ? 0 : 64))
      #expect((result.output + result.errors).contains("nfc"))
    }
  }

  @Test func theOptionsOfAllCommandsAreTheLastOfTheHelp() async throws {
    let help = try await Tool.run("info", "--help").output
    let own = try #require(help.firstRange(of: "\nOPTIONS:"))
    let shared = try #require(help.firstRange(of: "\nREADER AND OUTPUT:"))
    #expect(own.lowerBound < shared.lowerBound)
    #expect(help[shared.lowerBound...].contains("--reader"))
  }

  /// All commands report invalid hexadecimal with the same words, and secrets are not shown.
  @Test(arguments: [
    "mifare send 3G", "apdu 0G", "felica send 3G --virtual suica", "poll --uid 3G",
    "iso15693 send 3G", "mifare read 0 --key 3G", "apdu --aid 3G", "read --password 3G",
    "iso15693 write 0 3G", "felica read --service 3G 0",
  ])
  func hexadecimalThatIsWrong(_ line: String) async throws {
    let result = try await Tool.run(line.split(separator: " ").map(String.init))
    #expect(result.status == 64)
    #expect(result.errors.contains("is not hexadecimal: character 2 is not a digit from 0 to F"))
    if ["send", "--key", "--password"].contains(where: line.contains) {
      #expect(!result.errors.contains("3G"))
    }
  }

  @Test(arguments: [
    "3004", "30 04", "30:04", "30-04", "0x3004", "0x30 0x04", "0X30-0x04", "3 0 0 4",
  ])
  func hexadecimalHasManyForms(_ text: String) async throws {
    let result = try await Tool.run("mifare", "send", text, "--virtual", "ntag213")
    #expect(result.status == 0)
    #expect(result.output == "0103A00C340300FE0000000000000000\n")
  }

  @Test(arguments: [
    ("", "it is empty"), ("3", "it has 1 digit, and a byte has two"),
    ("30 0", "it has 3 digits"), ("0x", "it is empty"), ("30 é", "character 4"),
  ])
  func whatIsWrongIsReported(_ text: String, _ reason: String) async throws {
    let result = try await Tool.run("mifare", "send", text, "--virtual", "ntag213")
    #expect(result.status == 64)
    #expect(result.errors.contains(reason))
  }

  @Test(arguments: [
    ("erase --virtual blank-ultralight", 66),
    ("write uri https://a.example --virtual blank-ultralight", 66),
    ("lock --permanently --virtual blank-ultralight", 66), ("read --virtual blank-ultralight", 66),
  ])
  func aBlankTagIsNotAnNDEFTag(_ line: String, _ status: Int32) async throws {
    let result = try await Tool.run(line.split(separator: " ").map(String.init))
    #expect(result.status == status)
    #expect(result.errorLines.count == 1)
    #expect(result.errors.contains("nfc format"))
  }

  @Test(arguments: ["emrtd", "tmoney", "suica", "bprime", "srix4k", "barcode"])
  func formatIsNotAdvisedWhereItCannotWork(_ name: String) async throws {
    for command in [["read"], ["erase"], ["write", "text", "hi"]] {
      let result = try await Tool.run(command + ["--virtual", name])
      #expect(result.status == 66)
      #expect(result.errorLines.count == 1)
      #expect(!result.errors.contains("nfc format"))
    }
  }
}
