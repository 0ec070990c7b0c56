import Foundation
import NFC
import TestSupport
import Testing
import VirtualNFC

@testable import SwiftNFCTool

/// `nfc passport` on documents with keys of their own, which this process hosts.
@Suite struct PassportDocumentTests {
  private static let fields = [
    "--document", "L898902C3", "--birth", "740812", "--expiry", "120415",
  ]
  /// No trust list of whoever runs the tests.
  private static let environment = ["XDG_CONFIG_HOME": "/nonexistent", "HOME": "/nonexistent"]

  private func json(_ result: Tool.Result) throws -> [String: Any] {
    let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
    return try #require(object as? [String: Any], "\(result.errors)")
  }

  /// Runs the command on a document, with its authority in a file.
  private func read(
    _ document: IssuedDocument, _ arguments: [String], in directory: URL, faults: [Fault] = []
  ) async throws -> Tool.Result {
    let authority = directory.appending(path: "authority.der")
    try Data(document.authority).write(to: authority)
    let field = VirtualField()
    field.place(document.tag())
    let virtual = try VirtualReader(field)
    virtual.setFaults(faults)
    defer { virtual.close() }
    return try await Tool.run(
      ["passport", "read", "--json", "--trust", authority.path] + arguments + [
        "--reader", virtual.connectionString, "--timeout", "5",
      ], environment: Self.environment)
  }

  // MARK: Kinds

  struct Kind: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var arguments = PassportDocumentTests.fields
    let access: [String: String]?
    var chip = "noProof"
    let change: @Sendable (inout IssuedDocument.Order) -> Void
  }

  static let kinds: [Kind] = [
    Kind(
      testDescription: "CAM by CAN", arguments: ["--can", IssuedDocument.number],
      access: [
        "protocol": "PACE", "mapping": "CAM", "cipher": "AES-256", "curve": "brainpoolP384r1",
        "password": "can",
      ], chip: "genuine"
    ) {
      $0.chip.passwordProtocols = [.init(.chipAuthentication, .aes256, domainParameters: 16)]
      $0.chip.cardAccessNumber = IssuedDocument.number
      $0.chip.opensByBasicAccess = false
      $0.hasMappingKey = true
    },
    Kind(
      testDescription: "IM",
      access: [
        "protocol": "PACE", "mapping": "IM", "cipher": "3DES", "curve": "secp521r1",
        "password": "mrz",
      ], chip: "genuine"
    ) {
      $0.chip.passwordProtocols = [.init(.integrated, .tripleDES, domainParameters: 18)]
      $0.signature = .ecdsa(parameters: 12)
    },
    Kind(testDescription: "BAC with CA", access: ["protocol": "BAC"], chip: "genuine") {
      $0.chip.passwordProtocols = []
      $0.agreements = [.init(.tripleDES, 12)]
    },
    Kind(testDescription: "a copy", access: ["protocol": "BAC"], chip: "clone") {
      $0.chip.passwordProtocols = []
      $0.agreements = [.init(.aes128, 13)]
      $0.isCopy = true
    },
    Kind(testDescription: "open", arguments: [], access: nil) {
      $0.chip.passwordProtocols = []
      $0.chip.isOpen = true
    },
    Kind(
      testDescription: "type B",
      access: [
        "protocol": "PACE", "mapping": "GM", "cipher": "AES-128", "curve": "brainpoolP256r1",
        "password": "mrz",
      ]
    ) { $0.chip.isTypeB = true },
  ]

  @Test(arguments: kinds) func everyKind(_ kind: Kind) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let document = try IssuedDocument(kind.change)
      let result = try await read(document, kind.arguments + ["--verify"], in: directory)
      #expect(result.status == (kind.chip == "clone" ? 77 : 0), "\(result.errors)")
      let object = try json(result)
      #expect(object["access"] as? [String: String] == kind.access)
      #expect(object["access"] is NSNull == (kind.access == nil))
      #expect(
        object["verdict"] as? [String: String] == [
          "data": "unchanged", "issuer": "trusted", "chip": kind.chip,
        ])
      #expect(object["groups"] as? [Int] == document.document.dataGroups.keys.sorted())
    }
  }

  @Test(arguments: DocumentFace.allCases) func faces(_ format: DocumentFace) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let document = try IssuedDocument { $0.face = format.dataGroup(9000) }
      let file = directory.appending(path: "face.\(format == .jpeg ? "jpg" : "\(format)")")
      let result = try await read(document, Self.fields + ["--face", file.path], in: directory)
      #expect(result.status == 0, "\(result.errors)")
      #expect([UInt8](try Data(contentsOf: file)) == format.image(9000))
      let face = try #require(try json(result)["face"] as? [String: Any])
      #expect(face["format"] as? String == "\(format)" && face["bytes"] as? Int == 9000)
      let wrong = directory.appending(path: format == .jpeg ? "other.jp2" : "other.jpg")
      let other = try await read(
        document, Self.fields + ["--face", wrong.path, "--output", directory.path + "/files"],
        in: directory)
      #expect(other.status == 64)
      #expect(!FileManager.default.fileExists(atPath: wrong.path))
      #expect(!FileManager.default.fileExists(atPath: directory.path + "/files"))
    }
  }

  /// A folder of authorities, and that of the user's configuration: what is no authority is left out, and said.
  @Test func foldersOfAuthorities() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let document = try IssuedDocument()
      let folder = directory.appending(path: "nfc/trust")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(document.issuer.masterList()).write(to: folder.appending(path: "list.ml"))
      try Data("hello".utf8).write(to: folder.appending(path: "readme.txt"))
      for isConfigured in [false, true] {
        let field = VirtualField()
        field.place(document.tag())
        let virtual = try VirtualReader(field)
        defer { virtual.close() }
        var environment = Self.environment
        if isConfigured { environment["XDG_CONFIG_HOME"] = directory.path }
        let result = try await Tool.run(
          ["passport", "read", "--json"] + (isConfigured ? [] : ["--trust", folder.path])
            + Self.fields + ["--reader", virtual.connectionString, "--timeout", "5"],
          environment: environment)
        #expect(result.status == 0, "\(result.errors)")
        #expect(
          try json(result)["verdict"] as? [String: String] == [
            "data": "unchanged", "issuer": "trusted", "chip": "noProof",
          ])
        #expect(result.errors.contains("readme.txt"), "\(result.errors)")
      }
    }
  }

  // MARK: Lifted documents

  /// What nothing but the result may contain: the holder's data, and what keys are derived from.
  private static let texts = ["ERIKSSON", "ANNA", "MARIA", "L898902C", "ZE184226B"]
  /// Six digits may also be a part of a time in a recording.
  private static let digits = ["740812", "120415", IssuedDocument.number]

  private func expectNothing(
    of document: IssuedDocument, in files: [[UInt8]], _ place: String, isText: Bool = false
  ) {
    let groups = document.document.dataGroups
    // A part of each data group, and of EF.SOD.
    let parts = (groups.values + [document.document.securityObject ?? []]).map { file in
      Array(file.dropFirst(file.count / 2).prefix(8))
    }
    let texts = Self.texts.map { Array($0.utf8) }
    let digits = Self.digits.map { Array($0.utf8) }
    for bytes in files {
      let text = String(decoding: bytes, as: UTF8.self).uppercased()
      for secret in texts + parts + (isText ? digits : []) {
        #expect(bytes.ranges(of: secret).isEmpty, "\(place)")
      }
      for secret in texts + digits + parts {
        #expect(!text.contains(secret.hexadecimal), "\(place)")
      }
    }
  }

  /// The document is lifted at each frame, and put back at once: it is read to its end, or the command says that it was
  /// lost while its password was being used. Nothing that is written contains anything of the holder.
  @Test(arguments: [false, true]) func aTearAtEachFrame(_ isBasic: Bool) async throws {
    let document = try IssuedDocument {
      if isBasic { $0.chip.passwordProtocols = [] }
      $0.agreements = [.init(.aes128, 13)]
      $0.chip.cardAccessNumber = IssuedDocument.number
    }
    var statuses: [Int32] = []
    for exchange in 0..<34 {
      try await TemporaryDirectory.with { directory async throws in
        let (record, capture) = (
          directory.appending(path: "record"), directory.appending(path: "capture")
        )
        let result = try await read(
          document,
          Self.fields + ["--verbose", "--record", record.path, "--pcap", capture.path],
          in: directory, faults: [Fault(.tagReplaced(document.tag()), at: .exchange(exchange))])
        statuses.append(result.status)
        let place = "\(exchange): \(result.status) \(result.errors)"
        if result.status == 0 {
          let object = try json(result)
          #expect(object["groups"] as? [Int] == [1, 14], "\(place)")
          #expect(
            object["verdict"] as? [String: String] == [
              "data": "unchanged", "issuer": "trusted", "chip": "genuine",
            ], "\(place)")
        } else {
          #expect(result.status == 74, "\(place)")
          #expect(result.output.isEmpty)
        }
        expectNothing(of: document, in: [Array(result.errors.utf8)], place, isText: true)
        expectNothing(
          of: document,
          in: [[UInt8](try Data(contentsOf: record)), [UInt8](try Data(contentsOf: capture))],
          place)
      }
    }
    // Only between the first use of the password and its proof, nothing is tried again.
    let lost = statuses.filter { $0 != 0 }.count
    // Five commands of PACE, two of whose answers have two blocks; one of BAC.
    #expect(lost <= (isBasic ? 2 : 7), "\(statuses)")
    #expect(statuses.suffix(4).allSatisfy { $0 == 0 })
  }

  /// An answer that is changed, or does not come, at each frame: never anything but a result or one line.
  @Test(arguments: [false, true]) func aFaultAtEachFrame(_ isBasic: Bool) async throws {
    let document = try IssuedDocument { if isBasic { $0.chip.passwordProtocols = [] } }
    for exchange in 0..<30 {
      for effect in [Fault.Effect.answerLost, .answerBroken] {
        try await TemporaryDirectory.with { directory async throws in
          let result = try await read(
            document, Self.fields, in: directory, faults: [Fault(effect, at: .exchange(exchange))])
          let place = "\(exchange) \(effect): \(result.status) \(result.errors)"
          #expect([0, 65, 66, 74, 77].contains(result.status), "\(place)")
          #expect(result.errorLines.count <= 1, "\(place)")
          if result.status == 0 {
            #expect(try json(result)["groups"] as? [Int] == [1], "\(place)")
          }
          expectNothing(of: document, in: [Array(result.errors.utf8)], place, isText: true)
        }
      }
    }
  }

  /// A chip that wants its power switched off after a size that it does not like is read without being lifted.
  @Test func aChipThatIsDeadAfterAnError() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let document = try IssuedDocument {
        $0.chip.largestRead = 192
        $0.chip.statusForLargeReads = 0x6B00
        $0.chip.isDeadAfterErrors = true
        $0.face = DocumentFace.jpeg.dataGroup(2000)
      }
      let result = try await read(document, Self.fields, in: directory)
      #expect(result.status == 0, "\(result.errors)")
      #expect(try json(result)["groups"] as? [Int] == [1, 2])
    }
  }

  /// A document that does not come back: the complete groups are named, and nothing else.
  @Test func aDocumentThatStaysAway() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let document = try IssuedDocument { $0.face = DocumentFace.jpeg.dataGroup(9000) }
      let authority = directory.appending(path: "authority.der")
      try Data(document.authority).write(to: authority)
      let field = VirtualField()
      field.place(document.tag())
      let virtual = try VirtualReader(field)
      virtual.setFaults([Fault(.tagLeaves, at: .exchange(50))])
      let result = try await Tool.run(
        ["passport", "read"] + Self.fields + [
          "--reader", virtual.connectionString, "--timeout", "1",
        ], environment: Self.environment)
      virtual.close()
      #expect(result.status == 74, "\(result.errors)")
      #expect(result.errors.contains("complete were DG1"))
      #expect(result.output.isEmpty)
    }
  }

  // MARK: Without a password

  /// What everyone may know, and nothing of the holder.
  @Test func whatOtherCommandsSay() async throws {
    for (isTypeB, kind) in [(false, "a smart card"), (true, "a travel document")] {
      let document = try IssuedDocument {
        $0.chip.isTypeB = isTypeB
        $0.chip.passwordProtocols = [.init(.chipAuthentication, domainParameters: 12)]
        $0.hasMappingKey = true
        $0.face = DocumentFace.jpeg.dataGroup(1000)
      }
      let field = VirtualField()
      field.place(document.tag())
      let virtual = try VirtualReader(field)
      defer { virtual.close() }
      let place = ["--reader", virtual.connectionString, "--timeout", "5"]
      let info = try await Tool.run(["info"] + place)
      #expect(info.status == 0, "\(info.errors)")
      #expect(info.output.contains("passport or identity card (ICAO 9303)"))
      #expect(info.output.contains("PACE-CAM AES-128 secp256r1"))
      let object = try json(try await Tool.run(["info", "--json"] + place))
      let access = try #require(
        (object["document"] as? [String: Any])?["access"] as? [[String: String]])
      #expect(
        access == [
          ["protocol": "PACE", "mapping": "CAM", "cipher": "AES-128", "curve": "secp256r1"]
        ])
      let poll = try await Tool.run(["poll", "--once"] + place)
      #expect(poll.output.contains(kind), "\(poll.output)")
      for result in [info, poll] {
        expectNothing(of: document, in: [Array((result.output + result.errors).utf8)], "info")
      }
    }
  }

  /// Nothing is read of a document that would give out everything, unless the command is to read it.
  @Test func nothingIsReadOfAnOpenDocument() async throws {
    let document = try IssuedDocument {
      $0.chip.passwordProtocols = []
      $0.chip.isOpen = true
      $0.face = DocumentFace.jpeg.dataGroup(1000)
    }
    let field = VirtualField()
    field.place(document.tag())
    let virtual = try VirtualReader(field)
    defer { virtual.close() }
    let place = ["--reader", virtual.connectionString]
    var results: [Tool.Result] = []
    for words in [["info"], ["info", "--json"], ["poll", "--once"], ["passport", "info"]] {
      let result = try await Tool.run(words + place + ["--timeout", "5"])
      #expect(result.status == 0, "\(words): \(result.errors)")
      results.append(result)
    }
    let watch = try await Tool.run(["watch", "--json"] + place, interruptedAfter: 1)
    #expect(watch.output.contains(#""event":"tap""#), "\(watch.output)\(watch.errors)")
    for result in results + [watch] {
      expectNothing(of: document, in: [Array((result.output + result.errors).utf8)], "open")
    }
  }
}
