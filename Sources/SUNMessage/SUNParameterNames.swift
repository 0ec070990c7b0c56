/// The names that the parts of a message have in a link's query. Upper and lower case are the same.
///
/// A part may have several names, and a name may stand for several parts: what has the length of the part is it.
public struct SUNParameterNames: Hashable, Sendable {
  /// Of the enciphered UID and counter.
  public var piccData: [String]
  /// Of the readable UID.
  public var uid: [String]
  /// Of the readable read counter.
  public var counter: [String]
  /// Of the enciphered part of the file.
  public var fileData: [String]
  /// Of the MAC.
  public var mac: [String]

  /// Names of parts; a part without a name is not looked for.
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

  /// Those in use: `e` and `c`, `picc_data`, `enc` and `cmac`, `uid`, `ctr` and `cmac` of NXP AN12196 and
  /// nfc-developer's sdm-backend; `p` and `c` of Bolt Cards; `p` and `m`.
  public static let usual = SUNParameterNames(
    piccData: ["picc_data", "piccdata", "picc", "e", "p", "d"],
    uid: ["uid", "u", "id"],
    counter: ["ctr", "counter", "cnt", "n", "c"],
    fileData: ["enc", "enc_data", "file", "f"],
    mac: ["cmac", "mac", "sdmmac", "c", "m"])

  func names(of part: SUNError.Part) -> [String] {
    switch part {
    case .piccData: piccData
    case .uid: uid
    case .counter: counter
    case .fileData: fileData
    case .mac: mac
    }
  }
}
