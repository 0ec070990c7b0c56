import NFC
import VirtualNFC
let field = VirtualField()
let trace = CommandLine.arguments.contains("-t")
let virtual = try VirtualReader(field) { if trace { print($0.line()) } }
field.place(.ntag216())
field.place(try .classic1K())
field.place(try .type4B())
field.place(.suica())
field.place(try .topaz512())
let reader = try await Reader.open(virtual.connectionString)
print(reader.name, reader.capabilities)
var n = 0
for try await event in reader.events(polling: .all) {
  switch event {
  case .arrived(let tag):
    print("arrived", tag.technology, tag.identifier.hexadecimal)
    try await tag.connect()
    switch tag {
    case .miFare(let t):
      print(try await t.product() as Any, t.family)
      if let c = t.classic {
        try await c.authenticate(block: 4, .b, key: .init(repeating: 0xff, count: 6));
        print(try await c.readBlock(4).hexadecimal)
      } else {
        print(try await t.sendMiFareCommand([0x30, 4]).hexadecimal)
      }
    case .iso7816(let t): print(try await t.sendCommand(.select(aid: "D2760000850101")))
    case .feliCa(let t): print(try await t.sendFeliCaCommand([0x0c] + t.idm).hexadecimal)
    case .other(let t): print(try await t.transceive([0x78]).hexadecimal)
    default: break
    }
  case .left(let t): print("left", t.identifier.hexadecimal)
  }
  n += 1
  if n == 5 { break }
}
await reader.close()
