import SwiftNFCSeededRandom
import SwiftNFCCore

/// The originality signatures of chips over their UIDs.
///
/// The makers' private keys are not public, so a virtual chip is genuine only with a UID whose signature
/// has been published. For every other UID, the signature is wrong, and a check must detect it.
enum OriginalitySignature {
  private struct Published {
    let uid: String
    let signature: String
  }

  private static let published = [
    // NTAG21x: key 04494E1A… of NXP's AN11350, curve secp128r1.
    Published(
      uid: "04E10CDA993C80",
      signature: "8B76052EE42F5567BEB53238B3E3F9950707C0DCC956B5C5EFCFDB709B2D82B3"),
    Published(
      uid: "04DB0BDA993C80",
      signature: "6048EFD9417CD10F6B7F1818D471A7FE5B46868D2EABDC6307A1E0AAE139D8D0"),
    Published(
      uid: "04A78B62C21B90",
      signature: "660B9EEB2AACBD9755EA7769D40DACBF71A3512A7AAD5B803CD45D2D33795FDA"),
    // ST25TA02KB and ST25TV02KC: keys 041D9216… and 04101E18… of ST's AN5101 and AN5580, the same curve.
    Published(
      uid: "02E3002FCD4038",
      signature: "E71B844BCE76C8110B36E5B1E1C0410381BD994F226D5C11D84CA6697A5EB572"),
    Published(
      uid: "E00208000A227AAA",
      signature: "FE458A550ACD30B45B9C4D10676FC63E30AC69027217547FBDF04A8F7942AD3B"),
    // Ultralight EV1: key 0490933B… of NXP's AN11341, the same curve.
    Published(
      uid: "04C1285A373080",
      signature: "CEA2EB0B3C95D0844A95B824A7553703B3702378033BF0987899DB70151A19E7"),
    Published(
      uid: "04C2285A373080",
      signature: "A561506723D422D29ED9F93E60D20B9ED1E05CC1BF81DA19FE500CA0B81CC0ED"),
  ]

  private static let publishedLong = [
    // Ultralight AES: key 0453BF8C… of NXP's AN13452, curve secp192r1.
    Published(
      uid: "045E4CC2451390",
      signature: "C9BBDA1B99EB6634CDFD8E3251AC5C4742EA5FA507B8A8A8"
        + "B39B19AB7340D173331589C54C56C49F0CCA6DDBAC1E492A"),
    Published(
      uid: "043F88C2451390",
      signature: "5C2055A7373F119C3FDD9843020B06AA0E6DE18C16496C42"
        + "5C4AD971A50F05FA1A67B9E39CA60C355EEEEBF8214A84A5"),
  ]

  /// Returns a signature of 48 bytes; otherwise like ``signature(uid:)``.
  static func longSignature(uid: [UInt8]) -> [UInt8] {
    let text = uid.hexadecimal
    if let entry = publishedLong.first(where: { $0.uid == text }),
      let bytes = [UInt8](hexadecimal: entry.signature)
    {
      return bytes
    }
    var generator = SplitMix64(seed: uid)
    return (generator.bytes(24) + generator.bytes(24)).enumerated().map { index, byte in
      index % 24 == 0 ? byte & 0x7F : byte
    }
  }

  /// Returns a signature of 32 bytes: the genuine one if it is known, otherwise a wrong one that depends
  /// on the UID.
  static func signature(uid: [UInt8]) -> [UInt8] {
    let text = uid.hexadecimal
    if let entry = published.first(where: { $0.uid == text }),
      let bytes = [UInt8](hexadecimal: entry.signature)
    {
      return bytes
    }
    var generator = SplitMix64(seed: uid)
    // Both halves are below the curve's order, so that only the verification itself can fail.
    return (generator.bytes(16) + generator.bytes(16)).enumerated().map { index, byte in
      index % 16 == 0 ? byte & 0x7F : byte
    }
  }
}
