/// NTAG 223 DNA with 60 pages, 144 bytes of them for the user, and NTAG 224 DNA with 76 pages and 208 bytes.
///
/// The data sheets were not available. Sizes, versions and the signature's key are those of Proxmark3 (`cmdhfmfu.c`,
/// `originality.c`). Its script `ntag22x_suncmac_recovery.py` shows more: CFG_0 and CFG_1 in pages 29h and 2Ah, the
/// lock of the key of SUNCMAC in page 2Dh, that key in pages 34h to 37h, and each of these 16 pages later in an NTAG
/// 224 DNA. Lock bits, password or key for access, counter and the other pages are not public, so no page is assumed.
/// Links that the chips sign are verified by the module `SUNMessage`.
extension Type2Chip {
  /// NTAG 223 DNA.
  static let ntag223DNA = unmapped(
    "ntag223DNA", "NT2H2331", "NTAG 223 DNA", .ntag(2...2, 4, 0x0F), access: .aes(nil),
    signature: .readSignature([.ntag223DNA]), memorySize: 240,
    otherSecrets: [0x34...0x37])

  /// NTAG 223 DNA StatusDetect.
  static let ntag223DNAStatusDetect = unmapped(
    "ntag223DNAStatusDetect", "NT2H2331S", "NTAG 223 DNA StatusDetect", .ntag(8...8, 4, 0x0F),
    access: .aes(nil),
    signature: .readSignature([.ntag223DNA]), memorySize: 240,
    otherSecrets: [0x34...0x37])

  /// NTAG 224 DNA.
  static let ntag224DNA = unmapped(
    "ntag224DNA", "NT2H2421", "NTAG 224 DNA", .ntag(2...2, 5, 0x10), access: .aes(nil),
    signature: .readSignature([.ntag223DNA]), memorySize: 304,
    otherSecrets: [0x44...0x47])

  /// NTAG 224 DNA StatusDetect.
  static let ntag224DNAStatusDetect = unmapped(
    "ntag224DNAStatusDetect", "NT2H2421S", "NTAG 224 DNA StatusDetect", .ntag(8...8, 5, 0x10),
    access: .aes(nil),
    signature: .readSignature([.ntag223DNA]), memorySize: 304,
    otherSecrets: [0x44...0x47])
}
