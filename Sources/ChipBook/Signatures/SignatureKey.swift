/// A maker's public key, which verifies the signature that a chip has over its UID from the factory.
///
/// Sources: NXP AN11341, AN11350, AN12196, AN12343, AN12998, AN13452; ST AN5101, AN5580, AN5660.
package struct SignatureKey: Hashable, Sendable {
  /// The products that it signs.
  package let name: String
  package let curve: EllipticCurve
  package let point: String
  /// Whether the SHA-256 of the UID is signed instead of the UID itself.
  package let isHashed: Bool
}

extension SignatureKey {
  package static let ultralightEV1 = Self(
    name: "MIFARE Ultralight EV1", curve: .secp128r1,
    point: "0490933BDCD6E99B4E255E3DA55389A82"
      + "7564E11718E017292FAF23226A96614B8",
    isHashed: false)
  package static let ntag21x = Self(
    name: "NTAG 21x, NTAG 5 link and boost", curve: .secp128r1,
    point: "04494E1A386D3D3CFE3DC10E5DE68A499"
      + "B1C202DB5B132393E89ED19FE5BE8BC61",
    isHashed: false)
  /// A key of NXP whose chips are not named; Proxmark3 and SpringCard's readers have it.
  package static let ntag210 = Self(
    name: "NTAG 210, NTAG 212", curve: .secp128r1,
    point: "04A748B6A632FBEE2C0897702B33BEA1C"
      + "074998E17B84ACA04FF267E5D2C91F6DC",
    isHashed: false)
  /// Mikron signs on request only; other chips have a signature of zeros.
  package static let mikron = Self(
    name: "Mikron", curve: .secp128r1,
    point: "04F971EDA742A4A80D32DCF6A814A707C"
      + "C3DC396D35902F72929FDCD698B3468F2",
    isHashed: false)
  package static let classicEV1 = Self(
    name: "MIFARE Classic EV1", curve: .secp128r1,
    point: "044F6D3F294DEA5737F0F46FFEE88A356"
      + "EED95695DD7E0C27A591E6F6F65962BAF",
    isHashed: false)
  package static let desfireLight = Self(
    name: "MIFARE DESFire Light", curve: .secp224r1,
    point: "040E98E117AAA36457F43173DC920A8757267F44CE4EC5ADD3C540755"
      + "71AEBBF7B942A9774A1D94AD02572427E5AE0A2DD36591B1FB34FCF3D",
    isHashed: false)
  package static let desfireEV2 = Self(
    name: "MIFARE DESFire EV2", curve: .secp224r1,
    point: "04B304DC4C615F5326FE9383DDEC9AA892DF3A57FA7FFB3276192BC0E"
      + "AA252ED45A865E3B093A3D0DCE5BE29E92F1392CE7DE321E3E5C52B3A",
    isHashed: false)
  package static let desfireEV2XL = Self(
    name: "MIFARE DESFire EV2 XL", curve: .secp224r1,
    point: "04CD5D45E50B1502F0BA4656FF37669597E7E183251150F9574CC8DA5"
      + "6BF01C7ABE019E29FEA48F9CE22C3EA4029A765E1BC95A89543BAD1BC",
    isHashed: false)
  package static let desfireEV3 = Self(
    name: "MIFARE DESFire EV3", curve: .secp224r1,
    point: "041DB46C145D0A36539C6544BD6D9B0AA62FF91EC48CBC6ABAE36E008"
      + "9A46F0D08C8A715EA40A63313B92E90DDC1730230E0458A33276FB743",
    isHashed: false)
  package static let plusEV1 = Self(
    name: "MIFARE Plus EV1", curve: .secp224r1,
    point: "044409ADC42F91A8394066BA83D872FB1D16803734E911170412DDF8B"
      + "AD1A4DADFD0416291AFE1C748253925DA39A5F39A1C557FFACD34C62E",
    isHashed: false)
  package static let plusEV2 = Self(
    name: "MIFARE Plus EV2", curve: .secp224r1,
    point: "04BB49AE4447E6B1B6D21C098C1538B594A11A4A1DBF3D5E673DEACDE"
      + "B3CC512D1C08AFA1A2768CE20A200BACD2DC7804CD7523A0131ABF607",
    isHashed: false)
  package static let ntag413DNA = Self(
    name: "NTAG 413 DNA, MIFARE DESFire EV1", curve: .secp224r1,
    point: "04BB5D514F7050025C7D0F397310360EEC91EAF792E96FC7E0F496CB4"
      + "E669D414F877B7B27901FE67C2E3B33CD39D1C797715189AC951C2ADD",
    isHashed: false)
  package static let ntag424DNA = Self(
    name: "NTAG 424 DNA", curve: .secp224r1,
    point: "048A9B380AF2EE1B98DC417FECC263F8449C7625CECE82D9B916C992D"
      + "A209D68422B81EC20B65A66B5102A61596AF3379200599316A00A1410",
    isHashed: false)
  package static let vivokeySpark1 = Self(
    name: "VivoKey Spark 1", curve: .secp128r1,
    point: "04D64BB732C0D214E7EC580736ACF8472"
      + "84B502C25C0F7F2FA86AACE1DADA4387A",
    isHashed: true)
  package static let icode = Self(
    name: "ICODE DNA, ICODE SLIX2, ICODE 3", curve: .secp128r1,
    point: "048878A2A2D3EEC336B4F261A082BD71F"
      + "9BE11C4E2E896648B32EFA59CEA6E59F0",
    isHashed: false)
  package static let plusTrojka = Self(
    name: "MIFARE Plus of the Troika card", curve: .secp224r1,
    point: "040F732E0EA7DF2B38F791BF89425BF7DCDF3EE4D976669E3831F324F"
      + "F15751BD52AFF1782F72FF2731EEAD5F63ABE7D126E03C856FFB942AF",
    isHashed: false)
  package static let ultralightAES = Self(
    name: "MIFARE Ultralight AES", curve: .secp192r1,
    point: "0453BF8C49B7BD9FE3207A91513B9C1D238ECAB07186B7721"
      + "04AB535F7D3AE63CF7C7F3DD0D169DA3E99E43C6399621A86",
    isHashed: false)
  package static let ultralightAESVingcard = Self(
    name: "MIFARE Ultralight AES with the key of Vingcard", curve: .secp192r1,
    point: "04DC34DAA903F2726A6225B11C692AF6AB4396575CA12810C"
      + "BBCE3F781A097B3833B50AB364A70D9C2B641A728A599AE74",
    isHashed: false)
  package static let classicQL88 = Self(
    name: "MIFARE Classic QL88", curve: .secp128r1,
    point: "046F70AC557F5461CE5052C8E4A7838C1"
      + "1C7A236797E8A0730A101837C004039C2",
    isHashed: false)
  package static let ntag223DNA = Self(
    name: "NTAG 223 DNA, NTAG 224 DNA", curve: .secp192r1,
    point: "0485D5B9353B4FAA77581BA2AE96630C5876D6E8603308ABE"
      + "9A81A0B506F52D02D04FEE6F2D365B3DEE7B9FAD9133E2976",
    isHashed: false)
  package static let st25ta02KB = Self(
    name: "ST25TA02KB (TruST25)", curve: .secp128r1,
    point: "041D92163650161A2548D33881C235D0F"
      + "B2315C2C31A442F23C87ACF14497C0CBA",
    isHashed: true)
  package static let st25tn = Self(
    name: "ST25TN512, ST25TN01K (TruST25)", curve: .secp128r1,
    point: "0440004F974F7C76BC8718E523D85FA7B"
      + "354A9A992BFA966CB8219242F9D274FD6",
    isHashed: true)
  package static let st25tv02KC = Self(
    name: "ST25TV02KC (TruST25)", curve: .secp128r1,
    point: "04101E188A8B4CDDBC62D5BC3E0E6850F"
      + "0C2730E744B79765A0E079907FBDB01BC",
    isHashed: true)

  /// Every key that is known.
  package static let all: [SignatureKey] = [
    .ultralightEV1, .ntag21x, .ntag210, .mikron, .classicEV1, .desfireLight, .desfireEV2,
    .desfireEV2XL, .desfireEV3, .plusEV1, .plusEV2, .ntag413DNA, .ntag424DNA, .vivokeySpark1,
    .icode, .plusTrojka, .ultralightAES, .ultralightAESVingcard, .classicQL88, .ntag223DNA,
    .st25ta02KB, .st25tn, .st25tv02KC,
  ]
}
