extension TagImage {
  /// What an ISO 15693 tag has beside its blocks. `nil` is unknown.
  public struct Vicinity: Hashable, Sendable {
    /// The passwords of the ICODE SLIX family.
    public enum Password: String, CaseIterable, Hashable, Sendable {
      case read, write, privacy, destroy, eas
    }

    public var dsfid: UInt8?
    public var afi: UInt8?
    public var icReference: UInt8?
    public var isDSFIDLocked: Bool?
    public var isAFILocked: Bool?
    /// One for each block.
    public var lockedBlocks: [Bool]?
    /// Four bytes each.
    public var passwords: [Password: [UInt8]] = [:]
    public var isPrivate: Bool?
    /// The first block that the upper protection condition is for.
    public var protectionPointer: UInt8?
    public var protectionCondition: UInt8?
    public var isEASLocked: Bool?
    public var isProtectionLocked: Bool?

    public init() {}
  }

  /// What a FeliCa card has beside the blocks of a FeliCa Lite.
  public struct FeliCa: Hashable, Sendable {
    public struct Block: Hashable, Sendable {
      public var service: UInt16
      public var number: Int
      /// 16 bytes.
      public var data: [UInt8]

      public init(service: UInt16, number: Int, data: [UInt8]) {
        self.service = service
        self.number = number
        self.data = data
      }
    }

    /// An area: its code and the last code that may be in it.
    public struct Area: Hashable, Sendable {
      public var code: UInt16
      public var end: UInt16?

      public init(code: UInt16, end: UInt16? = nil) {
        self.code = code
        self.end = end
      }
    }

    public struct System: Hashable, Sendable {
      /// `nil` if the file does not name it.
      public var code: UInt16?
      public var areas: [Area] = []
      public var services: [UInt16] = []
      /// What could be read without a key.
      public var blocks: [Block] = []

      public init(code: UInt16?) { self.code = code }
    }

    /// Eight bytes.
    public var pmm: [UInt8]?
    public var systems: [System] = []

    public init(pmm: [UInt8]? = nil) { self.pmm = pmm }
  }

  /// Applications and files of a DESFire card.
  public struct DESFire: Hashable, Sendable {
    /// The key settings as the card tells them (MF3ICD40 data sheet, GetKeySettings).
    public struct KeySettings: Hashable, Sendable {
      public var changeKey: UInt8
      public var isConfigurationChangeable: Bool
      public var createsWithoutKey: Bool
      public var listsWithoutKey: Bool
      public var isMasterKeyChangeable: Bool
      /// The upper half of the second byte: the kind of the keys.
      public var flags: UInt8
      public var keyCount: UInt8

      public init(_ settings: UInt8, _ keys: UInt8) {
        changeKey = settings >> 4
        isConfigurationChangeable = settings & 0x08 != 0
        createsWithoutKey = settings & 0x04 != 0
        listsWithoutKey = settings & 0x02 != 0
        isMasterKeyChangeable = settings & 0x01 != 0
        flags = keys >> 4
        keyCount = keys & 0x0F
      }

      /// The two bytes of the card's answer.
      public var bytes: [UInt8] {
        [
          changeKey << 4 | (isConfigurationChangeable ? 0x08 : 0) | (createsWithoutKey ? 0x04 : 0)
            | (listsWithoutKey ? 0x02 : 0) | (isMasterKeyChangeable ? 0x01 : 0),
          flags << 4 | keyCount & 0x0F,
        ]
      }
    }

    public enum FileSettings: Hashable, Sendable {
      /// In bytes.
      case data(size: UInt32)
      case value(
        lowerLimit: UInt32, upperLimit: UInt32, limitedCredit: UInt32, isLimitedCreditEnabled: Bool)
      case records(size: UInt32, maximum: UInt32, count: UInt32)
    }

    public struct File: Hashable, Sendable {
      public var number: UInt8
      /// 0 standard, 1 backup, 2 value, 3 linear records, 4 cyclic records.
      public var type: UInt8
      public var communication: UInt8
      /// As they go over the air, two bytes.
      public var accessRights: [UInt8]
      public var settings: FileSettings
      /// `nil` if it was not read.
      public var data: [UInt8]?

      public init(
        number: UInt8, type: UInt8, communication: UInt8, accessRights: [UInt8],
        settings: FileSettings, data: [UInt8]? = nil
      ) {
        self.number = number
        self.type = type
        self.communication = communication
        self.accessRights = accessRights
        self.settings = settings
        self.data = data
      }
    }

    public struct Application: Hashable, Sendable {
      /// Three bytes as they go over the air.
      public var identifier: [UInt8]
      /// `nil` if the card has not told.
      public var keySettings: KeySettings?
      public var keyVersions: [UInt8] = []
      /// `nil` if they were not listed.
      public var files: [File]?

      public init(identifier: [UInt8]) { self.identifier = identifier }
    }

    /// In bytes.
    public var freeMemory: UInt32?
    /// Of the card itself.
    public var keySettings: KeySettings?
    public var keyVersions: [UInt8] = []
    public var applications: [Application] = []

    public init() {}
  }
}

// Passwords are never shown.
extension TagImage.Vicinity: CustomStringConvertible, CustomReflectable {
  public var description: String { "an ISO 15693 tag" }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
