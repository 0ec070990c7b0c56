import NFC
import Testing

/// The kind that a test expects; anything else fails it.
extension DetectedTag {
  var miFare: any MiFareTag { get throws { try #require(ndef as? any MiFareTag) } }
  var iso7816: any ISO7816Tag { get throws { try #require(ndef as? any ISO7816Tag) } }
  var feliCa: any FeliCaTag { get throws { try #require(ndef as? any FeliCaTag) } }
  var classic: MiFareClassicCommands { get throws { try #require(try miFare.classic) } }
  var ultralight: UltralightCommands { get throws { try #require(try miFare.ultralight) } }
}
