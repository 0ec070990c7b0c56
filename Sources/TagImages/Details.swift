extension TagImage {
  /// The data of an ISO 15693 tag in addition to its blocks. `nil` is unknown.
  public struct Vicinity: Hashable, Sendable {
    /// The passwords of the ICODE SLIX family.
    @nonexhaustive
    public enum Password: String, CaseIterable, Hashable, Sendable {
      /// Allows reading.
      case read
      /// Allows writing.
      case write
      /// Ends the privacy mode, in which the tag does not show its UID.
      case privacy
      /// Destroys the tag permanently.
      case destroy
      /// Allows changing the settings of the electronic article surveillance.
      case eas
    }

    /// The data storage format identifier.
    public var dsfid: UInt8?
    /// The application family identifier.
    public var afi: UInt8?
    /// The IC reference of the system information.
    public var icReference: UInt8?
    /// Whether the DSFID is locked.
    public var isDSFIDLocked: Bool?
    /// Whether the AFI is locked.
    public var isAFILocked: Bool?
    /// Whether each block is locked.
    public var lockedBlocks: [Bool]?
    /// The passwords, four bytes each.
    public var passwords: [Password: [UInt8]] = [:]
    /// Whether Flipper Zero accepts every password when it emulates the tag (its file's `Capabilities`).
    public var acceptsAllPasswords: Bool?
    /// Whether the tag is in privacy mode.
    public var isPrivate: Bool?
    /// The first block that the upper protection condition applies to.
    public var protectionPointer: UInt8?
    /// The protection condition of both areas, as the chip has it.
    public var protectionCondition: UInt8?
    /// Whether the electronic article surveillance is locked.
    public var isEASLocked: Bool?
    /// Whether the protection settings are locked.
    public var isProtectionLocked: Bool?

    /// Creates details without known values.
    public init() {}
  }

  /// The data of a FeliCa card in addition to the blocks of a FeliCa Lite.
  public struct FeliCa: Hashable, Sendable {
    /// A block of a service that could be read without a key.
    public struct Block: Hashable, Sendable {
      /// The service code.
      public var service: UInt16
      /// The number of the block in the service.
      public var number: Int
      /// The content, 16 bytes.
      public var data: [UInt8]

      /// Creates a block with its content, 16 bytes.
      public init(service: UInt16, number: Int, data: [UInt8]) {
        self.service = service
        self.number = number
        self.data = data
      }
    }

    /// An area: its code and the last code that may be in it.
    public struct Area: Hashable, Sendable {
      /// The area code.
      public var code: UInt16
      /// The last code that may be in the area; `nil` if the file does not name it.
      public var end: UInt16?
      /// The index of the first service in the area; `nil` if the file does not name it. In an area without services,
      /// it may be larger than ``lastService``.
      public var firstService: Int?
      /// The index of the last service in the area; `nil` if the file does not name it.
      public var lastService: Int?

      /// Creates an area.
      public init(code: UInt16, end: UInt16? = nil) {
        self.code = code
        self.end = end
      }
    }

    /// The key of a system, an area or a service.
    public struct Key: Hashable, Sendable {
      /// The version, which the card reports.
      public var version: UInt16?
      /// The key itself, which no card reports.
      public var value: [UInt8]?

      /// Creates a key of which the version, the value or both are known.
      public init(version: UInt16? = nil, value: [UInt8]? = nil) {
        self.version = version
        self.value = value
      }
    }

    /// A system of the card, with its content.
    public struct System: Hashable, Sendable {
      /// The code by which ``keys`` has the key of the system itself (FeliCa Card User's Manual, Request Service).
      public static let systemNode: UInt16 = 0xFFFF

      /// The system code; `nil` if the file does not name it.
      public var code: UInt16?
      /// The areas that were found.
      public var areas: [Area] = []
      /// The codes of the services that were found.
      public var services: [UInt16] = []
      /// The blocks that could be read without a key.
      public var blocks: [Block] = []
      /// What is known of the keys, by the code of the area or service, and ``systemNode`` for the system.
      public var keys: [UInt16: Key] = [:]

      /// Creates a system of which only the code is known.
      public init(code: UInt16?) { self.code = code }
    }

    /// The PMm, eight bytes.
    public var pmm: [UInt8]?
    /// The systems, in the order in which the card names them.
    public var systems: [System] = []

    /// Creates a card without systems.
    public init(pmm: [UInt8]? = nil) { self.pmm = pmm }
  }

  /// The applications and files of a DESFire card.
  public struct DESFire: Hashable, Sendable {
    /// The key settings as the card reports them (MF3ICD40 data sheet, GetKeySettings).
    public struct KeySettings: Hashable, Sendable {
      /// The number of the key that changes other keys; E means the key itself, F none.
      public var changeKey: UInt8
      /// Whether these settings can be changed.
      public var isConfigurationChangeable: Bool
      /// Whether applications or files can be created and deleted without the master key.
      public var createsWithoutKey: Bool
      /// Whether applications or files can be listed without the master key.
      public var listsWithoutKey: Bool
      /// Whether the master key can be changed.
      public var isMasterKeyChangeable: Bool
      /// The upper half of the second byte: the kind of the keys.
      public var flags: UInt8
      /// The number of keys, at most 14.
      public var keyCount: UInt8

      /// Decodes the two bytes of the card's answer.
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

    /// The settings of a file that depend on its type.
    @nonexhaustive
    public enum FileSettings: Hashable, Sendable {
      /// A data file with its size in bytes.
      case data(size: UInt32)
      /// A value file: the limits of the value, and the maximum that limited credit can give back.
      case value(
        lowerLimit: UInt32, upperLimit: UInt32, limitedCredit: UInt32, isLimitedCreditEnabled: Bool)
      /// A record file: the size of a record in bytes, the maximum number of records, and the
      /// current number.
      case records(size: UInt32, maximum: UInt32, count: UInt32)
    }

    /// A file of an application.
    public struct File: Hashable, Sendable {
      /// The file number.
      public var number: UInt8
      /// The type of the file: 0 standard, 1 backup, 2 value, 3 linear records, 4 cyclic records.
      public var type: UInt8
      /// The communication settings: 0 plain, 1 with a MAC, 3 encrypted.
      public var communication: UInt8
      /// The access rights as they are sent over the air, two bytes.
      public var accessRights: [UInt8]
      /// Additional sets of access rights, two bytes each (DESFire EV2, additional access rights).
      public var additionalAccessRights: [UInt8] = []
      /// The settings that depend on the type of the file.
      public var settings: FileSettings
      /// The content; `nil` if it was not read.
      public var data: [UInt8]?

      /// Creates a file with its settings.
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

    /// An application of the card.
    public struct Application: Hashable, Sendable {
      /// The identifier, three bytes as they are sent over the air.
      public var identifier: [UInt8]
      /// The key settings; `nil` if the card has not reported them.
      public var keySettings: KeySettings?
      /// The versions of its keys, in the order of their numbers.
      public var keyVersions: [UInt8] = []
      /// The files; `nil` if they were not listed.
      public var files: [File]?

      /// Creates an application of which only the identifier is known.
      public init(identifier: [UInt8]) { self.identifier = identifier }
    }

    /// The free memory in bytes.
    public var freeMemory: UInt32?
    /// The key settings of the card itself.
    public var keySettings: KeySettings?
    /// The versions of the card's own keys.
    public var keyVersions: [UInt8] = []
    /// The applications, in the order in which the card lists them.
    public var applications: [Application] = []

    /// Creates a card without known values.
    public init() {}
  }
}

// Passwords are never shown.
extension TagImage.Vicinity: CustomStringConvertible, CustomReflectable {
  public var description: String { "an ISO 15693 tag" }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
