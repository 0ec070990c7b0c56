/// The app that Android opens: the external type `android.com:pkg`.
///
/// Source: Android developer documentation, "NFC basics", Android Application Records.
public struct AndroidApplicationRecord: NDEFTypedRecord {
  /// The app's package name, such as `com.example.app`.
  public var packageName: String
  public var identifier: [UInt8]

  /// Creates the record of an app.
  public init(_ packageName: String, identifier: [UInt8] = []) {
    self.packageName = packageName
    self.identifier = identifier
  }

  private static let type = "android.com:pkg"

  public static func matches(_ record: NDEFRecord) -> Bool {
    record.hasType(.external, type)
  }

  /// Reads the package name.
  ///
  /// - Throws: ``NDEFError`` if the name is not UTF-8.
  public init(_ record: NDEFRecord) throws(NDEFError) {
    try Self.expectMatch(record)
    self.init(
      try record.payload[...].utf8Text("package name"), identifier: record.identifier)
  }

  public var record: NDEFRecord {
    NDEFRecord(
      typeNameFormat: .external, type: Self.type, identifier: identifier,
      payload: Array(packageName.utf8))
  }

  public var description: String { "Android app \(packageName)" }

  public static let fieldNames = ["androidPackage"]

  public var fields: NDEFFields { ["androidPackage": .text(packageName)] }

  /// Reads `{"androidPackage":"com.example.app"}`.
  public init?(fields: NDEFFields) throws(NDEFFieldError) {
    guard let packageName = try fields.text("androidPackage") else { return nil }
    self.init(packageName)
  }
}

extension NDEFRecord {
  /// Returns the record of the app that Android opens.
  public static func androidApplication(_ packageName: String) -> NDEFRecord {
    AndroidApplicationRecord(packageName).record
  }
}
