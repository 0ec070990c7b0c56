import SwiftNFCCore
import TagImages

extension DESFire: ImagedChip {
  /// The information that the card reports without a key, and the files with free read access.
  var tagImage: TagImage {
    var image = interface.image(.desfire)
    image.version = version
    var card = TagImage.DESFire()
    card.freeMemory = UInt32(clamping: picc.freeMemory)
    (card.keySettings, card.keyVersions) = picc.card.imagedKeys
    card.applications = picc.applications.map(\.image)
    image.desfire = card
    return image
  }

  /// The answer to GetVersion, in three frames.
  private var version: [UInt8]? {
    var copy = self
    let (getVersion, additionalFrame): (UInt8, UInt8) = (0x60, 0xAF)
    var version: [UInt8] = []
    for code in [getVersion, additionalFrame, additionalFrame] {
      version += copy.process([code]).dropFirst()
    }
    return version.count == 28 ? version : nil
  }
}

extension DESFireApplication {
  fileprivate var imagedKeys: (TagImage.DESFire.KeySettings?, [UInt8]) {
    (.init(keySettings, UInt8(clamping: keys.count) | keyKind.rawValue), keys.map(\.version))
  }

  fileprivate var image: TagImage.DESFire.Application {
    var application = TagImage.DESFire.Application(identifier: identifier)
    (application.keySettings, application.keyVersions) = imagedKeys
    application.files = keySettings & Self.listsFreely == 0 ? nil : files.compactMap(\.image)
    return application
  }
}

extension DESFireFile {
  /// Returns a file's image from the answer to GetFileSettings (MF3ICDx21_41_81 data sheet, 9.4.3).
  fileprivate var image: TagImage.DESFire.File? {
    let answer = settings
    let rest = answer.dropFirst(4)
    func value(_ first: Int, _ count: Int) -> UInt32 {
      rest.dropFirst(first).prefix(count).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
    guard answer.count >= 7 else { return nil }
    let content: TagImage.DESFire.FileSettings
    switch kind {
    case .standardData, .backupData: content = .data(size: value(0, 3))
    case .value:
      content = .value(
        lowerLimit: value(0, 4), upperLimit: value(4, 4), limitedCredit: value(8, 4),
        isLimitedCreditEnabled: value(12, 1) & 0x01 != 0)
    case .linearRecords, .cyclicRecords:
      content = .records(size: value(0, 3), maximum: value(3, 3), count: value(6, 3))
    // No file format can hold such a file.
    case .transactionMAC: return nil
    }
    let isOpen = readKeys.contains(Self.everybody)
    var file = TagImage.DESFire.File(
      number: number, type: answer[0], communication: communicationSettings,
      accessRights: Array(answer[2..<4]), settings: content, data: isOpen ? self.content : nil)
    file.additionalAccessRights = additionalAccessRights.flatMap(\.littleEndianBytes)
    return file
  }
}
