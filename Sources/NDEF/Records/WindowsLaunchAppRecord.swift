/// The app that Windows opens: the type `windows.com/LaunchApp` in the type name format absolute URI.
///
/// Numbers are big-endian, and texts UTF-8. A text that is longer than its length field allows is cut off between
/// characters when the record is written. Source: Windows hardware developer documentation, "Near field proximity",
/// Windows protocol.
public struct WindowsLaunchAppRecord: NDEFTypedRecord {
  /// An app for one platform.
  public struct App: Hashable, Sendable {
    /// The platform, such as `Windows` or `WindowsPhone`; at most 255 bytes.
    public var platform: String
    /// The app's identifier on the platform, at most 255 bytes.
    public var identifier: String

    /// Creates an app for one platform.
    public init(platform: String, identifier: String) {
      self.platform = platform
      self.identifier = identifier
    }
  }

  /// The app on each platform, at most 65535.
  public var apps: [App]
  /// The arguments that the app is started with, at most 65535 bytes.
  public var arguments: String
  public var identifier: [UInt8]

  /// Creates the record of an app and its arguments.
  public init(apps: [App], arguments: String, identifier: [UInt8] = []) {
    self.apps = apps
    self.arguments = arguments
    self.identifier = identifier
  }

  private static let type = "windows.com/LaunchApp"

  public static func matches(_ record: NDEFRecord) -> Bool {
    record.hasType(.absoluteURI, type)
  }

  /// Reads the apps.
  ///
  /// - Throws: ``NDEFError`` for a field that exceeds the payload, a text that is not UTF-8, or bytes after the
  ///   arguments.
  public init(_ record: NDEFRecord) throws(NDEFError) {
    try Self.expectMatch(record)
    var reader = ByteReader(record.payload)
    self.init(apps: [], arguments: "", identifier: record.identifier)
    for _ in 0..<(try reader.readBigEndian16("number of apps")) {
      let platform = try reader.readBytes8("platform").utf8Text("platform")
      let app = try reader.readBytes8("app identifier").utf8Text("app identifier")
      apps.append(App(platform: platform, identifier: app))
    }
    arguments = try reader.readBytes16("arguments").utf8Text("arguments")
    try reader.expectEnd("arguments")
  }

  public var record: NDEFRecord {
    let written = apps.prefix(Int(UInt16.max))
    var payload: [UInt8] = []
    payload.appendBigEndian(UInt16(clamping: written.count))
    for app in written {
      payload.appendWithLength8(app.platform.utf8Prefix(Int(UInt8.max)))
      payload.appendWithLength8(app.identifier.utf8Prefix(Int(UInt8.max)))
    }
    payload.appendWithLength16(arguments.utf8Prefix(Int(UInt16.max)))
    return NDEFRecord(
      typeNameFormat: .absoluteURI, type: Self.type, identifier: identifier, payload: payload)
  }

  public var description: String {
    let names = apps.map { "\($0.identifier) on \($0.platform)" }.joined(separator: ", ")
    let app = apps.isEmpty ? "no Windows app" : "app \(names)"
    return arguments.trimmingBlanks.isEmpty ? app : "\(app), with \(arguments)"
  }

  public static let fieldNames = ["windowsApp"]

  public var fields: NDEFFields {
    let list = apps.map { app in
      NDEFFieldValue.fields(["platform": .text(app.platform), "id": .text(app.identifier)])
    }
    return ["windowsApp": .fields(["apps": .list(list), "arguments": .text(arguments)])]
  }

  /// Reads `{"windowsApp":{"apps":[{"platform":"Windows","id":"…"}],"arguments":"…"}}`.
  public init?(fields: NDEFFields) throws(NDEFFieldError) {
    guard let content = try fields.fields("windowsApp") else { return nil }
    do throws(NDEFFieldError) {
      self.init(
        apps: try content.list("apps") { (value) throws(NDEFFieldError) in
          let app = try value.fields()
          return App(
            platform: try app.requiredText("platform"), identifier: try app.requiredText("id"))
        }, arguments: try content.text("arguments") ?? "")
    } catch {
      throw error.within(.name("windowsApp"))
    }
  }
}
