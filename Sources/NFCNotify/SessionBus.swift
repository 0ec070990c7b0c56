import CSwiftNFCDBus

/// The part of the session bus that notifications need. This is the only file of this program that
/// calls libdbus.
///
/// Used from one thread. Source: Desktop Notifications Specification 1.2, "D-BUS Protocol".
final class SessionBus {
  struct Problem: Error {
    let reason: String
  }

  /// A notification that was clicked or has closed.
  enum Event {
    case invoked(UInt32, action: String)
    case closed(UInt32)
  }

  /// The type codes of arguments (D-Bus specification, "Type System"), which are macros with casts
  /// in C.
  private enum TypeCode {
    static let uint32 = Int32(UInt8(ascii: "u"))
    static let int32 = Int32(UInt8(ascii: "i"))
    static let string = Int32(UInt8(ascii: "s"))
    static let array = Int32(UInt8(ascii: "a"))
  }

  private static let service = "org.freedesktop.Notifications"
  private static let path = "/org/freedesktop/Notifications"
  private static let answerTimeout: Int32 = 5000
  private let connection: OpaquePointer

  init() throws(Problem) {
    guard let connection = dbus_bus_get_private(DBUS_BUS_SESSION, nil) else {
      throw Problem(reason: "there is no session bus")
    }
    self.connection = connection
    dbus_connection_set_exit_on_disconnect(connection, 0)
    // Accepts any sender: the service may restart under another unique name.
    dbus_bus_add_match(
      connection, "type='signal',interface='\(Self.service)',path='\(Self.path)'", nil)
    dbus_connection_flush(connection)
  }

  deinit {
    dbus_connection_close(connection)
    dbus_connection_unref(connection)
  }

  var isConnected: Bool { dbus_connection_get_is_connected(connection) != 0 }

  /// The file descriptor to wait for with poll(2); `nil` if there is none.
  var descriptor: Int32? {
    var descriptor: Int32 = -1
    return dbus_connection_get_unix_fd(connection, &descriptor) != 0 ? descriptor : nil
  }

  /// Shows a notification, and returns its number.
  ///
  /// - Parameter action: the name and label of the action for a click.
  func notify(
    title: String, body: String, action: (name: String, label: String)?
  ) throws(Problem) -> UInt32 {
    guard
      let call = dbus_message_new_method_call(
        Self.service, Self.path, Self.service, "Notify")
    else { throw Problem(reason: "no memory for a message") }
    defer { dbus_message_unref(call) }
    var iterator = DBusMessageIter()
    dbus_message_iter_init_append(call, &iterator)
    Self.append("nfc", &iterator)
    Self.append(UInt32(0), TypeCode.uint32, &iterator)
    Self.append("", &iterator)
    Self.append(title, &iterator)
    Self.append(body, &iterator)
    Self.append(action.map { [$0.name, $0.label] } ?? [], &iterator)
    Self.appendNoHints(&iterator)
    Self.append(Int32(-1), TypeCode.int32, &iterator)
    guard
      let answer = dbus_connection_send_with_reply_and_block(
        connection, call, Self.answerTimeout, nil)
    else { throw Problem(reason: "no service shows notifications") }
    defer { dbus_message_unref(answer) }
    guard let number = Self.numbers(of: answer).first else {
      throw Problem(reason: "the notification service gives no number")
    }
    return number
  }

  /// Returns the service's capabilities, as words from the specification's "Capabilities".
  func capabilities() throws(Problem) -> Set<String> {
    guard
      let call = dbus_message_new_method_call(
        Self.service, Self.path, Self.service, "GetCapabilities")
    else { throw Problem(reason: "no memory for a message") }
    defer { dbus_message_unref(call) }
    guard
      let answer = dbus_connection_send_with_reply_and_block(
        connection, call, Self.answerTimeout, nil)
    else { throw Problem(reason: "no service shows notifications") }
    defer { dbus_message_unref(answer) }
    var iterator = DBusMessageIter()
    guard dbus_message_iter_init(answer, &iterator) != 0,
      dbus_message_iter_get_arg_type(&iterator) == TypeCode.array
    else { return [] }
    var list = DBusMessageIter()
    dbus_message_iter_recurse(&iterator, &list)
    return Set(Self.texts(in: &list))
  }

  /// Returns the events since the last call, without waiting.
  func events() -> [Event] {
    dbus_connection_read_write(connection, 0)
    var events: [Event] = []
    while let message = dbus_connection_pop_message(connection) {
      defer { dbus_message_unref(message) }
      guard let number = Self.numbers(of: message).first else { continue }
      if dbus_message_is_signal(message, Self.service, "ActionInvoked") != 0 {
        events.append(.invoked(number, action: Self.texts(of: message).first ?? ""))
      } else if dbus_message_is_signal(message, Self.service, "NotificationClosed") != 0 {
        events.append(.closed(number))
      }
    }
    return events
  }

  // MARK: Arguments

  private static func append(_ text: String, _ iterator: inout DBusMessageIter) {
    text.withCString { pointer in
      var pointer: UnsafePointer<CChar>? = pointer
      dbus_message_iter_append_basic(&iterator, TypeCode.string, &pointer)
    }
  }

  private static func append<Number: FixedWidthInteger>(
    _ number: Number, _ type: Int32, _ iterator: inout DBusMessageIter
  ) {
    var number = number
    dbus_message_iter_append_basic(&iterator, type, &number)
  }

  private static func append(_ texts: [String], _ iterator: inout DBusMessageIter) {
    var list = DBusMessageIter()
    dbus_message_iter_open_container(&iterator, TypeCode.array, "s", &list)
    for text in texts { append(text, &list) }
    dbus_message_iter_close_container(&iterator, &list)
  }

  private static func appendNoHints(_ iterator: inout DBusMessageIter) {
    var list = DBusMessageIter()
    dbus_message_iter_open_container(&iterator, TypeCode.array, "{sv}", &list)
    dbus_message_iter_close_container(&iterator, &list)
  }

  private static func numbers(of message: OpaquePointer) -> [UInt32] {
    var iterator = DBusMessageIter()
    guard dbus_message_iter_init(message, &iterator) != 0 else { return [] }
    return arguments(in: &iterator, TypeCode.uint32) { iterator in
      var number: UInt32 = 0
      dbus_message_iter_get_basic(&iterator, &number)
      return number
    }
  }

  private static func texts(of message: OpaquePointer) -> [String] {
    var iterator = DBusMessageIter()
    guard dbus_message_iter_init(message, &iterator) != 0 else { return [] }
    return texts(in: &iterator)
  }

  private static func texts(in iterator: inout DBusMessageIter) -> [String] {
    arguments(in: &iterator, TypeCode.string) { iterator in
      var text: UnsafePointer<CChar>?
      dbus_message_iter_get_basic(&iterator, &text)
      return text.map { String(cString: $0) }
    }
  }

  private static func arguments<Value>(
    in iterator: inout DBusMessageIter, _ type: Int32, _ value: (inout DBusMessageIter) -> Value?
  ) -> [Value] {
    var values: [Value] = []
    repeat {
      if dbus_message_iter_get_arg_type(&iterator) == type, let value = value(&iterator) {
        values.append(value)
      }
    } while dbus_message_iter_next(&iterator) != 0
    return values
  }
}
