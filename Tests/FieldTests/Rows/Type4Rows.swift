import VirtualNFC

@testable import SwiftNFCCore

/// Type 4 tags: NFC Forum Type 4 Tag Operation 1.0 and 2.0, Type 4 Tag Technical Specification 1.0 (mapping version
/// 3); NXP AN11004 for DESFire. The container of the plain card here is changed by no command.
extension FieldTag {
  private typealias Configuration = Type4Application.Configuration

  private static func row(
    _ name: String, _ content: Content, capacity: Int? = nil, _ patches: [Int: String] = [:],
    _ configure: @escaping @Sendable (inout Type4Application.Configuration) -> Void = { _ in }
  ) -> FieldTag {
    FieldTag("type 4: \(name)", content, capacity: capacity) {
      var configuration = Configuration()
      configure(&configuration)
      return patched(.type4(configuration: configuration), patches)
    }.with {
      if case .message = content { $0.cells.lock = .refused(.unsupported) }
    }
  }

  /// After a container of 15 bytes.
  private static let file = 15

  static let type4: [FieldTag] = [
    row("mapping version 2", .message([]), capacity: 2046),
    row("mapping version 1", .message([]), capacity: 2046) { $0.mapping = .version1 },
    row("mapping version 3", .message([]), capacity: 2044) { $0.mapping = .version3 },
    row("with a link", .message(link), capacity: 2046, [file: "0009 \(linkText)"]),
    FieldTag("type 4: type B", .message([]), capacity: 2046) { .type4B() }
      .locking(.refused(.unsupported)),
    row(
      "small parts, another file, as M24SR has it", .message(link), capacity: 254,
      [file: "0009 \(linkText)"]
    ) {
      $0.fileIdentifier = 0x0001
      $0.fileSize = 256
      $0.maximumReadLength = 15
      $0.maximumUpdateLength = 13
    },
    row("a file of the issuer's own", .message([]), capacity: 2046) {
      $0.proprietaryFiles = [
        .init(identifier: 0xE105, content: [0xDE, 0xAD, 0xBE, 0xEF])
      ]
    }.keeping([0xDE, 0xAD, 0xBE, 0xEF]),
    row(
      "half-written: the length is still 0", .message([]), capacity: 2046,
      [file: "0000 \(linkText)"]),
    row("a length beyond the file", .broken, capacity: 2046, [file: "0FFF D101"]).with {
      // The container is right; only a read finds the length.
      $0.access = .readWrite
      $0.cells.lock = .refused(.unsupported)
    },
    row("no write access", .message(link), capacity: 2046, [file: "0009 \(linkText)"]) {
      $0.writeAccess = 0xFF
    }.readOnly(),
    row("a key for writing", .message(link), capacity: 2046, [file: "0009 \(linkText)"]) {
      $0.writeAccess = 0x80
    }.readOnly(lock: .done),
    row("a key for reading", .closed, capacity: 2046, [file: "0009 \(linkText)"]) {
      $0.readAccess = 0x80
    },
    row("a container of 0 bytes, which cannot be written", .broken, [0: "0000"]).with {
      let refusal = Outcome.refused(.unsupported)
      $0.cells.write = refusal
      $0.cells.erase = refusal
      $0.cells.format = refusal
      $0.cells.wipe = refusal
    },
    FieldTag("type 4: no NDEF application", .unformatted) { .type4(formatted: false) }
      .formatting(.refused(.unsupported)),
    FieldTag("type 4: a passport", .unformatted) { .emrtd() }.formatting(.refused(.unsupported)),
    FieldTag("type 4: DESFire EV1 by AN11004", .message([]), capacity: 4094) { .desfire() }
      .locking(.refused(.unsupported)),
    FieldTag("type 4: blank DESFire EV1", .unformatted) { .desfire(formatted: false) }
      .formatting(.done).with { $0.formatKinds = [.accessRights] },
    FieldTag("type 4: blank DESFire EV2", .unformatted) { .desfire(.ev2, formatted: false) }
      .formatting(.done).with { $0.formatKinds = [.accessRights] },
    FieldTag("type 4: NTAG 424 DNA from the factory", .message([]), capacity: 254) {
      .ntag424()
    }.locking(.refused(.unsupported)),
  ]
}
