/// The names of the parts of a message in a link's query. They are not case-sensitive.
///
/// A part may have several names, and a name may refer to several parts: the length decides which
/// part it is.
public struct SUNParameterNames: Hashable, Sendable {
  /// The names of the encrypted UID and counter.
  public var piccData: [String]
  /// The names of the readable UID.
  public var uid: [String]
  /// The names of the readable read counter.
  public var counter: [String]
  /// The names of the encrypted part of the file.
  public var fileData: [String]
  /// The names of the MAC.
  public var mac: [String]

  /// Creates names of parts; a part without a name is not searched for.
  public init(
    piccData: [String] = [], uid: [String] = [], counter: [String] = [], fileData: [String] = [],
    mac: [String] = []
  ) {
    self.piccData = piccData
    self.uid = uid
    self.counter = counter
    self.fileData = fileData
    self.mac = mac
  }

  /// The usual names: `e` and `c`, `picc_data`, `enc` and `cmac`, `uid`, `ctr` and `cmac` of NXP
  /// AN12196 and nfc-developer's sdm-backend; `p` and `c` of Bolt Cards; `p` and `m`. In addition to `p`, or
  /// to a readable UID and counter, `e` is the encrypted part of the file.
  public static let common = SUNParameterNames(
    piccData: ["picc_data", "piccdata", "picc", "p", "d", "e"],
    uid: ["uid", "u", "id"],
    counter: ["ctr", "counter", "cnt", "n", "c"],
    fileData: ["enc", "enc_data", "file", "f", "e"],
    mac: ["cmac", "mac", "sdmmac", "c", "m"])

  func names(of part: SUNError.Part) -> [String] {
    switch part {
    case .piccData: piccData
    case .uid: uid
    case .counter: counter
    case .fileData: fileData
    case .mac: mac
    // The chip inserts it together with everything else, so it is no parameter.
    case .tamperStatus: []
    }
  }
}
