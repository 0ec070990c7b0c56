/// The output of `nfc --version`.
enum Version {
  static let number = "0.1.0"
  static let line = "nfc \(number)"
}
