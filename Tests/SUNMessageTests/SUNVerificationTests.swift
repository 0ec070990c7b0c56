import Foundation
import Testing

@testable import SUNMessage

/// Messages that are published with their keys and content.
@Suite struct SUNVerificationTests {
  struct Published: Sendable, CustomTestStringConvertible {
    let source: String
    let url: String
    var metaReadKey = zeroKey
    var fileReadKey = zeroKey
    /// `nil` if the link has none.
    let uid: String?
    let counter: UInt32
    var fileData: String?
    var mode = SUNMode.aes
    var covered = ""
    var testDescription: String { source }
  }

  static let zeroKey = "00000000000000000000000000000000"

  static let published = [
    Published(
      source: "NXP AN12196, 3.4.4.2.1, tables 2 and 4",
      url: "https://ntag.nxp.com/424?e=EF963FF7828658A599F3041510671E88&c=94EED9EE65337086",
      uid: "04DE5F1EACC040", counter: 61),
    Published(
      source: "NXP AN12196, 3.4.4.2.2",
      url: "https://www.my424dna.com/?picc_data=FD91EC264309878BE6345CBE53BADF40"
        + "&enc=CEE9A53E3E463EF1F459635736738962&cmac=ECC1E7F6C6C73BF6",
      uid: "04958CAA5C5E80", counter: 8, fileData: "78787878787878787878787878787878",
      covered: "CEE9A53E3E463EF1F459635736738962&cmac="),
    Published(
      source: "aescmac, mac_test.go: an NTAG 413 DNA, MAC over UID and counter",
      url: "https://x.y/?uid=041E19A2FB6180&ctr=00000E&mac=03745F4EDBC3875A",
      uid: "041E19A2FB6180", counter: 14),
    Published(
      source: "aescmac, mac_test.go: an NTAG 413 DNA, MAC over the link",
      url: "http://www.xxx.com/?uid=042410A2FB6180&ctr=000002&mac=DCF9F78B197F6E64",
      uid: "042410A2FB6180", counter: 2,
      covered: "xxx.com/?uid=042410A2FB6180&ctr=000002&mac="),
    Published(
      source: "sdm-backend, test_plain_sdm",
      url: "https://x.y/tagpt?uid=041E3C8A2D6B80&ctr=000006&cmac=4B00064004B0B3D3",
      uid: "041E3C8A2D6B80", counter: 6),
    Published(
      source: "sdm-backend, test_sdm_lrp2",
      url: "https://x.y/?picc_data=1FCBE61B3E4CAD980CBFDD333E7A4AC4A579569BAFD22C5F"
        + "&cmac=4231608BA7B02BA9",
      uid: "04940E2A2F7080", counter: 3, mode: .lrp),
    Published(
      source: "sdm-backend, test_sdm_lrp1",
      url: "https://x.y/?picc_data=07D9CA2545881D4BFDD920BE1603268C0714420DD893A497"
        + "&enc=D6E921C47DB4C17C56F979F81559BB83&cmac=F9481AC7D855BDB6",
      uid: "049B112A2F7080", counter: 4, fileData: "4E5458586237647A3350735959426C55", mode: .lrp,
      covered: "D6E921C47DB4C17C56F979F81559BB83&cmac="),
    Published(
      source: "sdm-backend, test_lrp_sdm_with_enc_file",
      url: "https://any.domain/?m=65628ED36888CF9C84797E43ECACF114C6ED9A5E101EB592"
        + "x4ADE304B5AB9474CB40AFFCAB0607A85x87E287E8135BFC06",
      uid: "042E1D222A6380", counter: 123, fileData: "30313032303330343030303030303030",
      mode: .lrp,
      covered: "any.domain/?m=65628ED36888CF9C84797E43ECACF114C6ED9A5E101EB592"
        + "x4ADE304B5AB9474CB40AFFCAB0607A85x"),
    Published(
      source: "Bolt Card of bolty-rs, read counter 0, by ntag424-vectors",
      url: "lnurlw://x.y?p=E61CB056F52D34F9368F079D1814D2CF&c=FCC9A22201EA2298",
      metaReadKey: "55DA174C9608993DC27BB3F30A4A7314",
      fileReadKey: "2AB74ABC1273FB43CAE97553A36D4D08", uid: "0425607A8F6980", counter: 0),
    Published(
      source: "Bolt Card of bolty-rs, read counter 1, by ntag424-vectors",
      url: "lnurlw://x.y?p=D798D011FA0BF5BD5ECE6F42265B02D5&c=B49D12860DA69E54",
      metaReadKey: "55DA174C9608993DC27BB3F30A4A7314",
      fileReadKey: "2AB74ABC1273FB43CAE97553A36D4D08", uid: "0425607A8F6980", counter: 1),
    Published(
      source: "TalkToYourDESFireCard, a DESFire EV3, read counter 82",
      url: "https://x.y/?picc_data=7611174D92F390458FF7E15ACFD2579F"
        + "&enc=F9FB7442DB2E0BE631CD4E3BCF74276E&cmac=69784EF122D0CB5F",
      uid: "04514032501490", counter: 82, fileData: "30313032303330343035303630373038",
      covered: "F9FB7442DB2E0BE631CD4E3BCF74276E&cmac="),
    Published(
      source: "TalkToYourDESFireCard, a DESFire EV3, read counter 7",
      url: "https://x.y/?picc_data=1D963945833B280C8E0CE5D3F86127E0"
        + "&enc=AFAE6C123CC478734FED103FD6851AA8&cmac=FCAC93426335D213",
      uid: "04514032501490", counter: 7, fileData: "30313032303330343035303630373038",
      covered: "AFAE6C123CC478734FED103FD6851AA8&cmac="),
    Published(
      source: "ntag424-java, SdmTest, read counter 33",
      url: "https://x.y/?picc_data=84DC15E87593037C7DDA281C2D55B8F2&cmac=4BBC218E7B2B36AF",
      uid: "049F50824F1390", counter: 33),
    Published(
      source: "ntag424-java, SdmTest, LRP, read counter 26",
      url: "https://x.y/?picc_data=D99C1B274606743ECE77E01D0D46CCE69F00C0C246363639"
        + "&cmac=15CA6F05740D1AE2", uid: nil, counter: 26, mode: .lrp),
    Published(
      source: "ntag424-java, SdmTest, LRP, read counter 30",
      url: "https://x.y/?picc_data=B3373525DC0343DEDB5F8E89F5387402EDFB8C22186FC129"
        + "&cmac=A3773D237775F892", uid: "04827F12647380", counter: 30, mode: .lrp),
    Published(
      source: "sdm-backend, test_decrypt_with_kdf2",
      url: "https://x.y/?e=4F5B914723915D456C038FE658686CD5" + "5CE7DCDEA93F5DA7AAA0AADC97485ABF"
        + "FFCD8DE82AD05289",
      metaReadKey: "C3B653D8484D82FD9D5DC48840E1F94E",
      fileReadKey: "97D1C3D765BC22AB707E80723E17B126", uid: "047D5F2AAA6180", counter: 2,
      fileData: "43430461616161454545454545454545"),
  ]

  @Test(arguments: published)
  func publishedMessage(_ message: Published) throws {
    let reading = try SUNMessage(url: message.url).verified(
      metaReadKey: try key(message.metaReadKey), fileReadKey: try key(message.fileReadKey))
    #expect(reading.uid == message.uid.map(hex))
    #expect(reading.readCounter == message.counter)
    #expect(reading.fileData == message.fileData.map(hex))
    #expect(reading.mode == message.mode)
    #expect(reading.authenticatedText.hasPrefix(message.covered))
  }

  /// sdm-backend, test_decrypt_with_kdf1: a key for each chip, four blocks of file data.
  @Test func keyOfTheChip() throws {
    let message = try SUNMessage(
      url: "https://x.y/?e=8DE9030262807261850FCCF5FE007E21"
        + "382B4C3D68552C3A5F417F0695A3D857923764E1737AD1F80E834E46387F45DC"
        + "77FE7468BBCF9DBF43B29CA58E8D6435F908C9C0CD56E9B4B9960FE1279C5DF1DF3EF20BE7D91C8E")
    let meta = try key("C3B653D8484D82FD9D5DC48840E1F94E")
    let own = try key("1FD0D360CCF906DF902CC8404C7CE5AA")
    let reading = try message.verified(metaReadKey: meta) {
      $0 == hex("04C24EDA926980") ? own : nil
    }
    #expect(reading.readCounter == 1)
    #expect(
      reading.fileData == Array(("NT1" + String(repeating: "x", count: 49) + "EEEEEEEEEEEE").utf8))
    #expect(throws: SUNError.noKey(.mac)) {
      try message.verified(metaReadKey: meta) { _ in nil }
    }
  }

  /// sdm-backend, test_sun3_custom, where nothing stands between file data and MAC; an LRP message without
  /// parameters; and two of ntag424-java (SdmTest), where a slash is between file data and MAC.
  @Test(arguments: [
    (
      "https://x.y/{picc}/{enc}{mac}", SUNMode.aes,
      "https://x.y/8ACADDEF0A9B62CDAE39A16B83FC14DE/B8436E11F627BB7F543FCC0C1E0D1A89238B2543A8DEBAD8",
      "42AFF114F2CB3B6141BE6DC95DFC5416", "B62A9BAF092439BD43C62AEE96B970C5", "041D3C8A2D6B80",
      UInt32(291), "B8436E11F627BB7F543FCC0C1E0D1A89"
    ),
    (
      "https://{picc}x{mac}", .lrp,
      "https://AAE1508939ECF6FF26BCE407959AB1A5EC022819A35CD293x5E3DB82C19E3865F", zeroKey, zeroKey,
      "042E1D222A6380", 106, "AAE1508939ECF6FF26BCE407959AB1A5EC022819A35CD293x"
    ),
    (
      "https://x.y/?{picc}/{enc}/{mac}", .aes,
      "https://x.y/?379F7A361ED4728A13B70F2B591FFA6B/A0DED1861CC740B47240AC0C944DC2EF/4FF9720BC3FE5910",
      zeroKey, zeroKey, "04B07F12647380", 1, "A0DED1861CC740B47240AC0C944DC2EF/"
    ),
    (
      "https://x.y/?{picc}/{enc}/{mac}", .lrp,
      "https://x.y/?B3EC473AD2BDB04A0B75065B8E775FEF2D08AD7E8D024DF2"
        + "/A8335B51B0A252AFEAFEEB38FCA0D810/02E985A8AE05ED05", zeroKey, zeroKey, "04827F12647380",
      37, "A8335B51B0A252AFEAFEEB38FCA0D810/"
    ),
  ])
  func template(
    template: String, mode: SUNMode, url: String, meta: String, file: String, uid: String,
    counter: UInt32, covered: String
  ) throws {
    let message = try SUNMessage(url: url, template: SUNTemplate(template, mode: mode))
    let reading = try message.verified(
      metaReadKey: try key(meta), fileReadKey: try key(file), mode: mode)
    #expect(reading.uid == hex(uid))
    #expect(reading.readCounter == counter)
    #expect(reading.authenticatedText == covered)
    #expect(throws: SUNError.differsFromTemplate(offset: 8)) {
      try SUNMessage(url: url, template: SUNTemplate("https://?" + template, mode: mode))
    }
  }

  /// A server that ends while its threads verify messages ends as it was asked to. libcrypto frees what its
  /// algorithms use when the process ends, unless it is configured not to.
  @Test func canContinueWhileTheProcessEnds() async {
    for _ in 0..<12 {
      await #expect(processExitsWith: .success) {
        alarm(60)
        let message = try SUNMessage(
          url: "https://ntag.nxp.com/424?e=EF963FF7828658A599F3041510671E88&c=94EED9EE65337086")
        for _ in 0..<4 {
          Thread.detachNewThread {
            while true {
              _ = try? message.verified(metaReadKey: .factory, fileReadKey: .factory)
            }
          }
        }
        try await Task.sleep(for: .milliseconds(50))
      }
    }
  }

  /// What carries links may have changed the letters: hexadecimal digits are capitals on the chip.
  @Test func smallLetters() throws {
    let message = try SUNMessage(
      url: "https://www.my424dna.com/?picc_data=fd91ec264309878be6345cbe53badf40"
        + "&enc=cee9a53e3e463ef1f459635736738962&cmac=ecc1e7f6c6c73bf6#top")
    let reading = try message.verified(metaReadKey: .factory, fileReadKey: .factory)
    #expect(reading.readCounter == 8)
  }

  // MARK: Refusals

  private static let good = published[1].url

  /// Every digit of the message that is changed.
  @Test func everyChangeIsRefused() throws {
    let link = Array(Self.good.utf8)
    let message = try SUNMessage(url: Self.good)
    for place in message.places.values {
      for index in place {
        var changed = link
        changed[index] = changed[index] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
        let other = try SUNMessage(url: String(decoding: changed, as: UTF8.self))
        #expect {
          try other.verified(metaReadKey: .factory, fileReadKey: .factory)
        } throws: { error in
          error as? SUNError == .wrongMAC || error as? SUNError == .wrongKey(.piccData)
        }
      }
    }
  }

  /// A chip inserts the file data before the MAC (NT4H2421Gx data sheet, 10.7.1, tables 69 and 71). Anyone can add a
  /// parameter to a link, and the MAC covers nothing that is after it.
  @Test func fileDataThatWereAddedAreRefused() throws {
    let added = "&enc=CEE9A53E3E463EF1F459635736738962"
    for input in [SUNMACInput.automatic, .none] {
      let message = try SUNMessage(url: Self.published[0].url + added)
      #expect(throws: SUNError.wrongMAC) {
        try message.verified(metaReadKey: .factory, fileReadKey: .factory, macInput: input)
      }
    }
    let uid = hex("041E3C8A2D6B80")
    let start = "https://x.y/?uid=041E3C8A2D6B80&ctr=000006&cmac="
    for (input, skipped) in [(SUNMACInput.link, 8), (.offset(0), 0), (.firstMirror, 17)] {
      let mac = SUNSession(.factory, .aes, uid: uid, counter: 6)
        .authenticationCode(Array(start.utf8.dropFirst(skipped)))
      let link = start + mac.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      for input in [input, .automatic] {
        let own = try SUNMessage(url: link).verified(fileReadKey: .factory, macInput: input)
        #expect(own.readCounter == 6)
        #expect(throws: SUNError.wrongMAC) {
          try SUNMessage(url: link + added).verified(fileReadKey: .factory, macInput: input)
        }
      }
    }
  }

  @Test func otherKeysAndCoveredParts() throws {
    let message = try SUNMessage(url: Self.good)
    let other = try key("00000000000000000000000000000001")
    #expect(throws: SUNError.wrongKey(.piccData)) {
      try message.verified(metaReadKey: other, fileReadKey: .factory)
    }
    #expect(throws: SUNError.wrongMAC) {
      try message.verified(metaReadKey: .factory, fileReadKey: other)
    }
    #expect(throws: SUNError.noKey(.piccData)) { try message.verified(fileReadKey: .factory) }
    for input in [SUNMACInput.fileData, .automatic] {
      #expect(
        try message.verified(metaReadKey: .factory, fileReadKey: .factory, macInput: input).uid
          == hex("04958CAA5C5E80"))
    }
    for input in [SUNMACInput.none, .link, .firstMirror, .offset(0), .offset(-1), .offset(.max)] {
      #expect(throws: SUNError.wrongMAC) {
        try message.verified(metaReadKey: .factory, fileReadKey: .factory, macInput: input)
      }
    }
    let plain = try SUNMessage(url: Self.published[2].url)
    #expect(throws: SUNError.missing(.fileData)) {
      try plain.verified(fileReadKey: .factory, macInput: .fileData)
    }
    #expect(throws: SUNError.wrongMAC) { try plain.verified(fileReadKey: .factory, mode: .lrp) }
  }

  /// A key that was typed wrong must not be seen in a log.
  @Test func keysAreHidden() throws {
    let secret = try key("F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF01")
    for text in ["\(secret)", String(reflecting: secret), String(describing: [secret as SUNKey?])] {
      #expect(!text.uppercased().contains("F1F2"))
      #expect(text.contains("hidden"))
    }
    var dumped = ""
    dump(secret, to: &dumped)
    #expect(!dumped.contains("241"))
    #expect(secret == secret && secret != .factory)
    #expect(SUNKey([1, 2, 3]) == nil)
  }
}
