/// Applications of MIFARE DESFire cards that are recognized by their identifiers, as `nfc info` prints them: six
/// digits, most significant first.
///
/// Sources: Proxmark3's `aid_desfire.json`, and the selections in a recording of NXP TagInfo (gentilkiwi/kpn532). They
/// disagree about the order of Opal's bytes; both orders are accepted.
enum DESFireDirectory {
  static func name(_ identifier: String) -> String? { names[identifier] }

  private static let names: [String: String] = [
    "EEEE10": "NDEF",
    "4F5931": "Oyster (London)", "F21190": "Clipper (San Francisco)", "F21030": "ORCA (Seattle)",
    "F21381": "Ventra (Chicago)", "F210E0": "Hop Fastpass (Portland)",
    "F213A0": "Wave (Rhode Island)", "F21360": "HOLO (Hawaii)", "F21100": "myki (Melbourne)",
    "F210F0": "myki (Melbourne)", "F206B0": "Metrocard (Adelaide)", "314553": "Opal (Sydney)",
    "534531": "Opal (Sydney)", "F21050": "Metrocard (Christchurch)", "554000": "AT HOP (Auckland)",
    "F21150": "Lítačka (Prague)", "EF2011": "HSL (Helsinki)", "2211AF": "Leap (Ireland)",
    "A00216": "ITSO (Great Britain)", "012242": "Istanbulkart (Istanbul)", "784000": "nol (Dubai)",
    "015342": "BEM (Bangkok)", "578000": "transit of the Nordic countries, issuer",
    "578001": "transit of the Nordic countries",
    "53494F": "access control (HID)", "D3494F": "access control (HID)",
    "2F81F4": "access control (Gallagher), directory", "2081F4": "access control (Gallagher)",
    "6F706C": "access control (Openpath)", "F52310": "access control (ICT)",
  ]
}
