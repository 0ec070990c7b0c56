import CSwiftNFCLibNFC
import SwiftNFCCore

extension Target {
  /// Reads what libnfc has filled in. Lengths come from the tag by way of the reader's chip: one that is larger than
  /// the field that it counts is not believed, and nothing of the field is read.
  init?(_ target: nfc_target) {
    let info = target.nti
    switch target.nm.nmt {
    case NMT_ISO14443A:
      let found = info.nai
      let uid = bytes(of: found.abtUid, count: found.szUidLen)
      guard [4, 7, 10].contains(uid.count) else { return nil }
      self = .iso14443a(
        ISO14443ATarget(
          uid: uid, atqa: bytes(of: found.abtAtqa, count: 2), sak: found.btSak,
          ats: bytes(of: found.abtAts, count: found.szAtsLen)))
    case NMT_ISO14443B:
      let found = info.nbi
      self = .iso14443b(
        ISO14443BTarget(
          pupi: bytes(of: found.abtPupi, count: 4),
          applicationData: bytes(of: found.abtApplicationData, count: 4),
          protocolInfo: bytes(of: found.abtProtocolInfo, count: 3)))
    case NMT_FELICA:
      let found = info.nfi
      self = .feliCa(
        FeliCaTarget(
          idm: bytes(of: found.abtId, count: 8), pmm: bytes(of: found.abtPad, count: 8),
          // LEN, response code, IDm, PMm are 18 bytes; a system code makes them 20.
          systemCode: found.szLen == 20 ? bytes(of: found.abtSysCode, count: 2) : [],
          bitRate: target.nm.nbr == NBR_424 ? 424 : 212))
    case NMT_JEWEL:
      let found = info.nji
      self = .jewel(
        sensRes: bytes(of: found.btSensRes, count: 2), uid: bytes(of: found.btId, count: 4))
    case NMT_ISO14443B2SR:
      self = .iso14443b2sr(uid: bytes(of: info.nsi.abtUID, count: 8).reversed())
    case NMT_ISO14443B2CT:
      let found = info.nci
      self = .iso14443b2ct(
        uid: bytes(of: found.abtUID, count: 4).reversed(), productCode: found.btProdCode,
        fabricationCode: found.btFabCode)
    case NMT_BARCODE:
      let data = bytes(of: info.nti.abtData, count: info.nti.szDataLen)
      guard !data.isEmpty else { return nil }
      self = .barcode(data: data)
    case NMT_ISO14443BICLASS:
      self = .iClass(serialNumber: bytes(of: info.nhi.abtUID, count: 8))
    default:
      return nil
    }
  }
}

/// Returns the first bytes of a C array; none if it does not have as many.
private func bytes<Value>(of value: Value, count: Int) -> [UInt8] {
  withUnsafeBytes(of: value) { (0...$0.count).contains(count) ? Array($0.prefix(count)) : [] }
}
