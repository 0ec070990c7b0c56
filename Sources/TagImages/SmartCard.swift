extension TagImage {
  /// The applications and files of a smart card, as far as they could be read without a key
  /// (ISO/IEC 7816-4).
  ///
  /// An NFC Forum Type 4 tag is such a card: one application with a capability container, an NDEF
  /// file and any other files that the container names.
  public struct SmartCard: Hashable, Sendable {
    /// A transparent file, without record structure.
    public struct File: Hashable, Sendable {
      /// The file identifier.
      public var identifier: UInt16
      /// The content; `nil` if it was not read.
      public var data: [UInt8]?

      /// Creates a file with its content.
      public init(identifier: UInt16, data: [UInt8]?) {
        self.identifier = identifier
        self.data = data
      }
    }

    /// An application, or the card's own files.
    public struct Application: Hashable, Sendable {
      /// The application identifier, 5 to 16 bytes; empty for files outside of applications.
      public var name: [UInt8]
      /// The files, in the order in which they were found.
      public var files: [File]

      /// Creates an application with its files.
      public init(name: [UInt8], files: [File] = []) {
        self.name = name
        self.files = files
      }

      /// Returns the content of a file; `nil` if it does not exist, or was not read.
      public func content(ofFile identifier: UInt16) -> [UInt8]? {
        files.first { $0.identifier == identifier }?.data
      }
    }

    /// The applications that were found.
    public var applications: [Application] = []

    /// Creates a card without applications.
    public init(applications: [Application] = []) { self.applications = applications }

    /// The NDEF file as the container describes it, with its content; `nil` if one of the two is
    /// not known.
    public var ndefFile: NDEFFile? {
      for application in applications where NDEFFile.applicationNames.contains(application.name) {
        if let file = NDEFFile(application) { return file }
      }
      return nil
    }
  }
}

extension TagImage.SmartCard {
  /// The file with the message of a Type 4 tag (NFC Forum Type 4 Tag 1.2, 4.2 and 4.3).
  public struct NDEFFile: Hashable, Sendable {
    /// The names for versions 2 and 3, and for version 1 of the mapping.
    static let applicationNames: [[UInt8]] = [
      [0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01], [0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x00],
    ]
    static let capabilityContainer: UInt16 = 0xE103
    /// The identifier of a file that no container names.
    static let usualIdentifier: UInt16 = 0xE104

    private enum Control {
      static let file: UInt8 = 0x04
      static let extendedFile: UInt8 = 0x06
    }

    /// The file identifier.
    public let identifier: UInt16
    /// The size of the length field before the message: 2 bytes, and 4 in an extended file.
    public let lengthSize: Int
    /// The message, without the length field.
    public let message: [UInt8]

    /// - Parameter application: the application; without a container, file E104 is assumed.
    init?(_ application: Application) {
      var identifier = Self.usualIdentifier
      var lengthSize = 2
      if let container = application.content(ofFile: Self.capabilityContainer) {
        guard container.count >= 11, [Control.file, Control.extendedFile].contains(container[7])
        else { return nil }
        identifier = UInt16(container[9]) << 8 | UInt16(container[10])
        if container[7] == Control.extendedFile { lengthSize = 4 }
      }
      guard let content = application.content(ofFile: identifier), content.count >= lengthSize
      else { return nil }
      let length = content.prefix(lengthSize).reduce(0) { $0 << 8 | Int($1) }
      guard content.count - lengthSize >= length else { return nil }
      self.identifier = identifier
      self.lengthSize = lengthSize
      message = Array(content[lengthSize..<lengthSize + length])
    }
  }

  /// Creates a card of which only the message is known.
  init?(message: [UInt8]) {
    guard let length = UInt16(exactly: message.count) else { return nil }
    let content = [UInt8(length >> 8), UInt8(length & 0xFF)] + message
    applications = [
      Application(
        name: NDEFFile.applicationNames[0],
        files: [File(identifier: NDEFFile.usualIdentifier, data: content)])
    ]
  }
}
