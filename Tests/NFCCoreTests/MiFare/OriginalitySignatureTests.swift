import Testing

@testable import SwiftNFCChipBook
@testable import SwiftNFCCore

/// Published UIDs with their signatures.
///
/// Sources: the application notes at ``OriginalitySignature``, and dumps of genuine chips.
@Suite struct OriginalitySignatureTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let key: SignatureKey
    let uid: String
    let signature: String
    var testDescription: String { "\(key.name) \(uid)" }

    init(_ key: SignatureKey, _ uid: String, _ signature: String) {
      self.key = key
      self.uid = uid
      self.signature = signature
    }
  }

  static let genuine: [Vector] = [
    Vector(
      .ultralightEV1, "04C1285A373080",
      "CEA2EB0B3C95D0844A95B824A7553703B3702378033BF0987899DB70151A19E7"),
    Vector(
      .ultralightEV1, "04C2285A373080",
      "A561506723D422D29ED9F93E60D20B9ED1E05CC1BF81DA19FE500CA0B81CC0ED"),
    Vector(
      .ntag21x, "04E10CDA993C80",
      "8B76052EE42F5567BEB53238B3E3F9950707C0DCC956B5C5EFCFDB709B2D82B3"),
    Vector(
      .ntag21x, "04DB0BDA993C80",
      "6048EFD9417CD10F6B7F1818D471A7FE5B46868D2EABDC6307A1E0AAE139D8D0"),
    Vector(
      .classicEV1, "0433619AB35780",
      "B9FAE369EC21C980650D87ED9AE9B1610E859131B4B8699C647548AB68D249BB"),
    Vector(
      .classicEV1, "524374E2",
      "F8758CE30A58553A9985C458FB9C7D340FCFB04847B928A0667939272BC58B5E"),
    Vector(
      .desfireLight, "0439556ACB6480",
      "D5BD0978106E1E38B513642335966AB21E9F950DCFCFAB45FF13D0DC"
        + "3CA4C2AE7E0D671DF1240937D040DAC4601C5F66ED62C546EE03ED08"),
    Vector(
      .desfireLight, "043B156ACB6480",
      "76B46932BF2FCF4931A24C755F5CB1686B914F1856177686B864BDAD"
        + "58EFA6A7493E5C2232F3ADDAA434EA4647BFD1D385BDA6115E77D74C"),
    Vector(
      .desfireEV2, "042A41CAE45380",
      "B2769F8DDB575AEA2A680ADCA8FFED4FAB81A1E9908E2B82FE0FABB6"
        + "97BBD9B23835C416970E75768F12902ACA491349E94E6589EAF4F508"),
    Vector(
      .desfireEV2, "045640CAE45380",
      "D34B53A8C2C100D700DEA1C4C0D0DE4409F3A418CD8D57C4F41F146E"
        + "42AD9A55F014199ABBF5CA259C7799DB0AE20D5E77D4950AC7E95D33"),
    Vector(
      .desfireEV2XL, "044CA092806480",
      "9D86DACD3866058B1CF122FF5FC80E997251D99179BC1F996ACF6ED7"
        + "D495DA5C39DDE699E2760C08D747EF08487B9897D48957E5AFD755E2"),
    Vector(
      .desfireEV2XL, "045793D28A6380",
      "E509576A484B4F93B5B97FFA04CB297CAE97CFF1071BDEFD23D50545"
        + "13E3036203FDD1CDD2CDEAD0AEAD88DF24FFE7CDAAFEE1E58A55A745"),
    Vector(
      .desfireEV3, "04448BD2DB6B80",
      "5CBB5632795C8F15263FEFB095B51C7B541AFD914A1AE44EF6FB8AF6"
        + "05EDF13DBFEE6C3A2DB372245E671DFE0D42CB1F0D0B8FE67A89D2F6"),
    Vector(
      .desfireEV3, "04445DD2DB6B80",
      "166BFD9F9BFAA451172566101580DF9894F582C4A4E258C15037AD2F"
        + "35A475CF1D7FB817618623A6569F991931AFB2766984E21A18512A6D"),
    Vector(
      .plusEV1, "042A2B221C5080",
      "BAC40CD88E9193C58ADA5055350C4F648EB5A7AEC4FCF9BD4CDD7B1C"
        + "558DE5F59C6636F26286ED48622AAA2331D4DF1CEE23B57B94BDA631"),
    Vector(
      .plusEV1, "04505082346B80",
      "78B2FCF6769F60B165F5BDEB3A6D0C26967BB165E65A3B400A01C711"
        + "356FF0A0807AB1A2706FCA419702AC67211287E31D71927BA25AB235"),
    Vector(
      .ntag413DNA, "042468222F5C80",
      "B9211E320F321BD1D0E158E10FF15109B389638BAE15D9909D7725BF"
        + "1250ED236D66F1AF75C94D60330E4E92535F5E6997675281A5687173"),
    Vector(
      .ntag413DNA, "042938222F5C80",
      "18B642797D1FD71806146A7A6EC778D3FDD04F39C4A3B36A592BD1A1"
        + "14DC44E5528380FA766C0B7EA32B284AFBE84300B620369F0686D8CC"),
    Vector(
      .ntag424DNA, "0463474AA26A80",
      "27E9A50E6CA4BA9037C02F7D20A80D0284D0C1D83C67F5A5AC1D8A4E"
        + "F86C9508417E4E9C6F85AA7920F0ABDED984CAF20467D66EA54BBF08"),
    Vector(
      .ntag424DNA, "04C46C222A6380",
      "344A806EBF704C05C19215D2F840529CE365AAD2D08A469A95896D75"
        + "D477D9FAB02A0C827E9F215BD8EB0E56A3A9A008FB75D706AABBD4DA"),
    Vector(
      .vivokeySpark1, "E0040118009C870C",
      "4B4E03E1211952EF6A5F9D84AB218CD4D7549D0CDF8CA8779F9AD16C9A9CBF3B"),
    Vector(
      .vivokeySpark1, "E0040118009B4D62",
      "25CF13747C3389EC7889DE916E3747584978511CC78B51CFB1883B494CBED7AB"),
    Vector(
      .icode, "EE5F9B00180104E0",
      "32D9E7579CD77E6F1FA11419231E874826984C5F189FDE1421684563A9663377"),
    Vector(
      .icode, "838ED22A080104E0",
      "CAE8183CB4823C765AFDEB78C9D66C959990FD52A5820E76E1D6E025D76EAD79"),
    Vector(
      .plusTrojka, "04B59F6A226F82",
      "6F577EB7F570D74DB6250477427F68A0088762BD318767537122919A"
        + "7916597149F9D16D8B135E9BF826FB28AE293F3168661CD4A049FAED"),
    Vector(
      .plusTrojka, "04B44A82D80F92",
      "A0868ECF26733D3C3C838D055968B4559F77693CC3E346E3A4741BC8"
        + "26801F8360FD88857BEC440AAD3A21153D64302DEB6F5ED40B15C3F7"),
    Vector(
      .ultralightAES, "045E4CC2451390",
      "C9BBDA1B99EB6634CDFD8E3251AC5C4742EA5FA507B8A8A8"
        + "B39B19AB7340D173331589C54C56C49F0CCA6DDBAC1E492A"),
    Vector(
      .ultralightAES, "043F88C2451390",
      "5C2055A7373F119C3FDD9843020B06AA0E6DE18C16496C42"
        + "5C4AD971A50F05FA1A67B9E39CA60C355EEEEBF8214A84A5"),
    Vector(
      .ultralightAESVingcard, "04A31232241C90",
      "057595DCC601CA7E21341F1F978FA134F0204D87A33749C5"
        + "6DDB4ABD6F1F26194341DB10093B34C42F524A30DCC5CE54"),
    Vector(
      .ultralightAESVingcard, "041BC1D2F31B90",
      "FB5CF8F1B3CC39984BCA54A50FCF47ACFDC8C969010C1F45"
        + "99554AF9A8E4F2B8371524855E45AD7EE71179A660D27667"),
    Vector(
      .classicQL88, "30933C61",
      "AEA4DD0B800FAC63D4DE08EE91F4650ED825FD6B4D7DEEE98DBC9BAE10BE003E"),
    Vector(
      .classicQL88, "20593261",
      "F762CDD59EEDC075F4DDBA7ECD529FEEE5135C65A84D12EF0A250A321B2012F5"),
    Vector(
      .ntag223DNA, "043302218D3D00",
      "6A5D5E034F4FC823CACAB56C1A77A409B8DB345F89BD3FD5"
        + "9ED1F9C0093518609BE62D0A20764D2011E47EFA187F29AA"),
    Vector(
      .ntag223DNA, "046910EA841390",
      "5A424A22BE320B86CB2576D4E0112B28F21D5F994B72AD25"
        + "788F5B5EAE5ADF2592B773CF3F68DE4585A1D084EC879FA6"),
    Vector(
      .st25ta02KB, "02E3002FCD4038",
      "E71B844BCE76C8110B36E5B1E1C0410381BD994F226D5C11D84CA6697A5EB572"),
    Vector(
      .st25ta02KB, "02E3002FCD4205",
      "5BE94577A06BC3030B1B3CECDC846E8128DDF81008DDEECBAF78CE91CDA27DBD"),
    Vector(
      .st25tn, "020339A5940000",
      "A5E968CEDD7278C46F0FF7ECABAD649C229BCA444915D307E69C1945FA95C9C6"),
    Vector(
      .st25tn, "02643AFD04A000",
      "0938D86193C603E1B30B17C8117A930205CAC1A8CE88F0EA269FCE2A44244D7B"),
    Vector(
      .st25tv02KC, "E00208000A227AAA",
      "FE458A550ACD30B45B9C4D10676FC63E30AC69027217547FBDF04A8F7942AD3B"),
    Vector(
      .st25tv02KC, "E00208000A17DB6E",
      "B3ED5025F16455AAC6012CA1C1FC5F94F8C805AF1EF6A86B646081C9916CDD2E"),
    Vector(
      .ntag21x, "04A78B62C21B90",
      "660B9EEB2AACBD9755EA7769D40DACBF71A3512A7AAD5B803CD45D2D33795FDA"),
    // Two NTAG 5, then one chip each of known kinds (Proxmark3, recover_pk.py).
    Vector(
      .ntag21x, "0003FC2A580104E0",
      "A2AF1B088305152EA9197BA9446647BD8195EB75F3A19B31A2B9AE2274FA29A3"),
    Vector(
      .ntag21x, "0003EECE580104E0",
      "D29D7B55B2F90494E9A886B939B580857BE5C1471D448D56D40ACD38143010C8"),
    Vector(
      .icode, "1F62C26F080104E0",
      "9F47BF33D9ED62A62AFEF5685BC4006CFB290C344EAD5C5B49BF976804A9EE62"),
    Vector(
      .classicEV1, "53424B8A",
      "B4F533E8C06C021E242EFE8558C1672ED7022E5AE4E7AA2D46113B0AB6928AFC"),
    Vector(
      .desfireEV2, "040D259A965B80",
      "B158073A7100C88C3726F4299FA58311FC3CB18744686DE3F234928A"
        + "D74578F5CAD7FCEC1DCB962ECC7CC000B8557B37F45B76DC6573A58F"),
    Vector(
      .plusEV1, "12817C48",
      "3351979A3449CACD9EE113A75B862917F03EFAE68DA399C06342BF85"
        + "83C88DFE769DF49754A96F7C28B57189FB05B9C10E2305D41423A6EB"),
    Vector(
      .ultralightEV1, "04EE45DAA34084",
      "EBB6102BFF74B087D18A57A54BC375159A04EA9BC61080B7F4A85AFE1587D73B"),
    // A test of node-nxp-originality-verifier.
    Vector(
      .mikron, "34D959D16906A0",
      "7F17E881D214FC044A3DF2E2B9E5FBAD16330D4FF69CC4215B8585CCF3265CD9"),
  ]

  @Test(arguments: genuine) func recognizesGenuineChips(vector: Vector) throws {
    let uid = try #require([UInt8](hexadecimal: vector.uid))
    let signature = try #require([UInt8](hexadecimal: vector.signature))
    #expect(
      OriginalitySignature.verify(uid: uid, signature: signature, key: vector.key) == .genuine)
    // One bit of either, or another maker's key: not genuine.
    for index in uid.indices {
      var other = uid
      other[index] ^= 1
      #expect(
        OriginalitySignature.verify(uid: other, signature: signature, key: vector.key)
          == .notGenuine)
    }
    var broken = signature
    broken[broken.count - 1] ^= 1
    #expect(
      OriginalitySignature.verify(uid: uid, signature: broken, key: vector.key) == .notGenuine)
    for key in SignatureKey.all where key != vector.key {
      #expect(OriginalitySignature.verify(uid: uid, signature: signature, key: key) == .notGenuine)
    }
  }

  /// An example in a file format's documentation, not of a chip.
  @Test func recognizesAFalseOne() throws {
    let uid = try #require([UInt8](hexadecimal: "04859054129823"))
    let signature = try #require(
      [UInt8](
        hexadecimal: "1B84EB70BD4CBD1B1DE4980B1858BD7C7285B4E47B388E96CF886BEEA343AD90"))
    #expect(
      OriginalitySignature.verify(
        uid: uid, signature: signature, product: Type2Chip.ntag216.product)
        == .notGenuine)
    #expect(
      OriginalitySignature.verify(
        uid: uid, signature: signature,
        product: TagProduct("topaz96", name: "Topaz 96", maker: "Broadcom"))
        == .unknown)
  }

  /// A chip of a label that its maker has signed itself (flipperzero-firmware, pull request 2316).
  @Test func aSignatureOfSomeoneElseProvesNothing() throws {
    let uid = try #require([UInt8](hexadecimal: "5C637B3F080104E0"))
    let signature = try #require(
      [UInt8](
        hexadecimal: "6A672DAE8DFBC7C2126549419B3C5FAFD7C6C097334399E5D05AD971FE7B74A9"))
    #expect(
      OriginalitySignature.verify(
        uid: uid, signature: signature,
        product: TagProduct("icodeSLIX2", name: "ICODE SLIX2", maker: "NXP")) == .unknown)
    #expect(
      OriginalitySignature.verify(
        uid: uid, signature: signature,
        product: TagProduct("icodeDNA", name: "ICODE DNA", maker: "NXP")) == .notGenuine)
  }

  /// Products whose key is not certain: one of these verifies the signature, or it proves nothing.
  @Test(arguments: [
    Type2Chip.ntag210.product, Type2Chip.ntag212.product, Type2Chip.ntag210Micro.product,
    Type2Chip.ultralightNano.product, Type2Chip.ntagI2CPlus1K.product,
    Type2Chip.ntagI2CPlus2K.product,
  ])
  func triesEveryLikelyKey(_ product: TagProduct) throws {
    let uid = try #require([UInt8](hexadecimal: "04E10CDA993C80"))
    var signature = try #require(
      [UInt8](
        hexadecimal: "8B76052EE42F5567BEB53238B3E3F9950707C0DCC956B5C5EFCFDB709B2D82B3"))
    #expect(
      OriginalitySignature.verify(uid: uid, signature: signature, product: product) == .genuine)
    signature[0] ^= 1
    #expect(
      OriginalitySignature.verify(uid: uid, signature: signature, product: product) == .unknown)
  }

  /// A card with a random UID hides the one that was signed.
  @Test func isUnknownForARandomUID() {
    let product = TagProduct("desfireEV2", name: "MIFARE DESFire EV2", maker: "NXP")
    let signature = [UInt8](repeating: 0x11, count: 56)
    #expect(
      OriginalitySignature.verify(
        uid: [0x08, 1, 2, 3], signature: signature, product: product) == .unknown)
    #expect(
      OriginalitySignature.verify(
        uid: [0x04, 1, 2, 3, 4, 5, 6], signature: signature, product: product) == .notGenuine)
  }

  /// ST's chips by their products. One that does not name its key may be signed with another than the known one.
  @Test(arguments: [
    (
      "st25ta02KB" as ChipID, "02E3002FCD44BE",
      "895EE509DE9D98E2FDAC7ADCC976F24B085D73D063986EF59FE260D9BE08D28C",
      OriginalitySignature.Verdict.unknown
    ),
    (
      "st25tv02KC", "E00208000A174F60",
      "AB42F1FA68D7470F91D4ED77C4D951B1B4AAB006812BE194BFEB7AAE48E4FA45", .notGenuine
    ),
  ])
  func recognizesChipsOfST(
    _ id: ChipID, _ uid: String, _ signature: String,
    _ otherwise: OriginalitySignature.Verdict
  ) throws {
    let product = TagProduct(id, name: "\(id)", maker: "STMicroelectronics")
    let uid = try #require([UInt8](hexadecimal: uid))
    var signature = try #require([UInt8](hexadecimal: signature))
    #expect(
      OriginalitySignature.verify(uid: uid, signature: signature, product: product) == .genuine)
    signature[0] ^= 1
    #expect(
      OriginalitySignature.verify(uid: uid, signature: signature, product: product) == otherwise)
  }

  @Test(arguments: [0, 1, 31, 32, 33, 56, 255], [UInt8(0x00), 0xFF])
  func anyBytesGiveAVerdict(count: Int, byte: UInt8) {
    let bytes = [UInt8](repeating: byte, count: count)
    for key in SignatureKey.all {
      #expect(OriginalitySignature.verify(uid: bytes, signature: bytes, key: key) == .notGenuine)
    }
  }
}
