import ArgumentParser
import NFC

/// The kind of message `bluetooth`.
struct BluetoothKind: RecordKind {
  static let name = "bluetooth"
  static let abstract = "Writes the address of a Bluetooth device."
  static let usage = "<address> [--name <text>]"
  static let phones =
    "Phones: an Android phone offers to connect; an iPhone does nothing with such a tag."
  static let examples = [
    "bluetooth 00:11:22:33:44:55 --name Speaker --virtual ntag213",
    "bluetooth C0:11:22:33:44:55 --le --random --name Sensor --virtual ntag213",
  ]
  static let details = """
    A Bluetooth Low Energy device has a public or a random address, and a connection with the wrong type fails. \
    Most sensors have a random one, which begins with a digit from C to F; bluetoothctl shows the type.
    """

  @Argument(help: "The device's address, six bytes.") var address: String
  @Option(help: ArgumentHelp("The device's name.", valueName: "text"))
  var name: String?
  @Flag(help: "The device uses Bluetooth Low Energy.")
  var le = false
  @Flag(help: "With --le: the address is random, not public.")
  var random = false

  private static let addressSize = 6

  var templates: [String] { [name].compactMap(\.self) }

  mutating func validate() throws {
    guard le || !random else { throw ValidationError("--random requires --le.") }
    let bytes = try Hexadecimal.argument(address, "The address")
    guard bytes.count == Self.addressSize else {
      throw ValidationError(
        "The address \"\(ArgumentText.shown(address))\" has \(bytes.count) bytes, not six.")
    }
  }

  func message(_ values: Placeholders, isForced: Bool) throws -> NDEFMessage {
    let bytes = try Hexadecimal.argument(address, "The address")
    guard let address = BluetoothAddress(bytes) else {
      throw Failure(.usage, "\(bytes.hexadecimal) is not a Bluetooth address")
    }
    let name = try name.map { values.fill(try TextArgument.checked($0, "--name")) }
    if let name {
      do throws(NDEFSyntaxError) {
        try BluetoothData.validate(name: name)
      } catch {
        throw Failure(.usage, error.reason)
      }
    }
    guard !le else {
      return NDEFMessage(
        BluetoothLERecord(
          address: address, isRandomAddress: random, role: .peripheral, name: name
        ).record)
    }
    var record = BluetoothRecord(address: address)
    if let name { record.data[.completeLocalName] = Array(name.utf8) }
    return NDEFMessage(record.record)
  }
}
