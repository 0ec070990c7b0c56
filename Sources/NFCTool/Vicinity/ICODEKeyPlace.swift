import ArgumentParser
import SecureTags

/// The number of an AES key of an ICODE DNA or NTAG 5.
struct ICODEKeyPlace: KeyPlace, CustomStringConvertible {
  let number: Int

  static let sizes = [ICODETag.keySize]
  static let sizesText = "\(ICODETag.keySize) bytes"
  static let form = "is like 0:00112233445566778899AABBCCDDEEFF"
  static let help = ArgumentHelp(
    "A key of the tag, by its number from 0 to 3; may be given more than once.",
    discussion: environmentHelp, valueName: "number:hex")

  init(_ text: Substring, _ name: String) throws {
    guard let number = Int(text), ICODETag.keyNumbers.contains(number) else {
      throw ValidationError("\(name) begins with the key's number, from 0 to 3.")
    }
    self.number = number
  }

  var description: String { "key \(number)" }
}
