import Foundation
import NDEF

open class NFCNDEFMessage: NSObject {
  let native: NDEFMessage
  init(_ message: NDEFMessage) { native = message }
  var encoded: [UInt8] { native.encoded() }
}
