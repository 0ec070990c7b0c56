import SwiftNFCJSONText
import SwiftNFCCore

extension Recording.Line {
  /// - Parameter isFirst: whether the line must name the format.
  init(_ bytes: some Sequence<UInt8>, isFirst: Bool) throws(RecordedField.Problem) {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONNode(parsing: Array(bytes)).value
    } catch {
      throw RecordedField.Problem(
        isFirst ? "this is not a recording: \(error.reason)" : error.reason)
    }
    let fields = RecordedField(value)
    if isFirst {
      guard (try? fields.text("format")) == Recording.format else {
        throw RecordedField.Problem("this is not a recording")
      }
    }
    if fields.has("format") {
      let version = try fields.integer("version")
      guard version == Recording.version else {
        throw RecordedField.Problem(
          "the recording has version \(version), and only version \(Recording.version) is known")
      }
      self = .reader(try RecordedReader(fields))
    } else {
      self = .call(try RecordedCall(fields))
    }
  }
}

// MARK: - Readers

extension RecordedReader {
  func line(number: Int) -> String {
    JSONValue.members([
      "format": .string(Recording.format), "version": .integer(Recording.version),
      "reader": .integer(number), "name": .string(name),
      "connectionString": .string(connectionString), "firmware": firmware.map { .string($0) },
      "capabilities": capabilities.recorded, "findsOneByOne": .technologies(findsOneByOne),
      "canReconnect": .bool(canReconnect),
    ]).text
  }

  init(_ fields: RecordedField) throws(RecordedField.Problem) {
    self.init(
      name: try fields.text("name"), connectionString: try fields.text("connectionString"),
      firmware: fields.has("firmware") ? try fields.text("firmware") : nil,
      capabilities: try ReaderCapabilities(recorded: try fields.object("capabilities")),
      findsOneByOne: try Set(recorded: try fields.list("findsOneByOne")),
      canReconnect: try fields.flag("canReconnect"))
  }
}

extension JSONValue {
  static func technologies(_ technologies: Set<TagTechnology>) -> JSONValue {
    .array(TagTechnology.allCases.filter(technologies.contains).map { .string($0.rawValue) })
  }
}

extension Set<TagTechnology> {
  init(recorded list: [JSONValue]) throws(RecordedField.Problem) {
    self = []
    for value in list {
      guard let technology = value.string.flatMap(TagTechnology.init) else {
        throw RecordedField.Problem("a technology is not known")
      }
      insert(technology)
    }
  }
}

extension ReaderCapabilities {
  var recorded: JSONValue {
    let rates = TagTechnology.allCases.compactMap { technology in
      bitRates[technology].map { rates in
        JSONValue.Member(key: technology.rawValue, value: .array(rates.map { .integer($0) }))
      }
    }
    return .members([
      "technologies": .technologies(technologies), "bitRates": .object(rates),
      "maximumCommandLength": .integer(maximumCommandLength),
      "maximumResponseLength": .integer(maximumResponseLength),
      "supportsOnlyAPDUs": .bool(supportsOnlyAPDUs),
      "commandPaths": .array(commandPaths.map(\.recorded)),
      "pollingFrames": pollingFrames.isEmpty ? nil : .technologies(pollingFrames),
      "emulation": emulation.map {
        .members([
          "maximumCommandLength": .integer($0.maximumCommandLength),
          "maximumAnswerLength": .integer($0.maximumAnswerLength),
        ])
      },
    ])
  }

  init(recorded fields: RecordedField) throws(RecordedField.Problem) {
    self.init(
      technologies: try Set(recorded: try fields.list("technologies")), bitRates: [:],
      maximumCommandLength: try fields.integer("maximumCommandLength"),
      maximumResponseLength: try fields.integer("maximumResponseLength"),
      supportsOnlyAPDUs: try fields.flag(fields.name("supportsOnlyAPDUs", "takesAPDUsAlone")))
    for member in try fields.object("bitRates").value.members ?? [] {
      guard let technology = TagTechnology(rawValue: member.key), let rates = member.value.list
      else { throw RecordedField.Problem("\"bitRates\" has no technology \(member.key)") }
      bitRates[technology] = rates.compactMap(\.integer)
    }
    for path in try fields.list("commandPaths") {
      commandPaths.append(try CommandPath(recorded: RecordedField(path)))
    }
    if fields.has("pollingFrames") {
      pollingFrames = try Set(recorded: try fields.list("pollingFrames"))
    }
    guard fields.has("emulation") else { return }
    let limits = try fields.object("emulation")
    emulation = EmulationCapabilities(
      maximumCommandLength: try limits.integer("maximumCommandLength"),
      maximumAnswerLength: try limits.integer("maximumAnswerLength"))
  }
}

extension CommandPath {
  fileprivate var recorded: JSONValue {
    let members = TagTechnology.allCases.compactMap { technology in
      capabilities[technology].map { capabilities in
        JSONValue.Member(
          key: technology.rawValue,
          value: .array(
            Capability.allCases.filter(capabilities.contains).map { .string($0.rawValue) }))
      }
    }
    return .members([
      "name": .string(name), "capabilities": .object(members), "note": .string(note),
    ])
  }

  fileprivate init(recorded fields: RecordedField) throws(RecordedField.Problem) {
    self.init(name: try fields.text("name"), capabilities: [:], note: try fields.text("note"))
    let key = fields.name("capabilities", "means")
    for member in try fields.object(key).value.members ?? [] {
      guard let technology = TagTechnology(rawValue: member.key), let list = member.value.list
      else { throw RecordedField.Problem("\"\(key)\" has no technology \(member.key)") }
      capabilities[technology] = Set(list.compactMap { $0.string.flatMap(Capability.init) })
    }
  }
}

// MARK: - Calls

/// The name of a call in a line.
private enum CallName: String {
  case reset, list, find, select, present, limits, exchange, authenticate, random
  case activation, receive, answer, endCard
  case frame
}

extension Framing {
  fileprivate static let names: KeyValuePairs<String, Framing> = [
    "tagProtocol": .tagProtocol, "checked": .checked, "bare": .bare,
  ]
}

extension RecordedCall {
  var line: String {
    var members: [JSONValue.Member] = []
    func add(_ key: String, _ value: JSONValue) {
      members.append(JSONValue.Member(key: key, value: value))
    }
    func add(_ name: CallName) { add("call", .string(name.rawValue)) }
    add("reader", .integer(reader))
    add("time", .seconds(time))
    switch request {
    case .resetField: add(.reset)
    case .list(let technology):
      add(.list)
      add("technology", .string(technology.rawValue))
    case .find(let technology, let found):
      add(.find)
      add("technology", .string(technology.rawValue))
      add("besides", .array(found.map { .bytes($0) }))
    case .broadcast(let frame):
      add(.frame)
      add("technology", .string(frame.technology.tagTechnology.rawValue))
      add("frame", .bytes(frame.bytes))
      add("name", .string(frame.name))
    case .select(let identifier):
      add(.select)
      add("tag", .bytes(identifier))
    case .isPresent(let identifier):
      add(.present)
      add("tag", .bytes(identifier))
    case .capabilities(let identifier):
      add(.limits)
      add("tag", .bytes(identifier))
    case .exchange(let command, let framing, let timeout):
      add(.exchange)
      add("framing", .string(Framing.names.first { $0.value == framing }?.key ?? ""))
      // A program may name any time; what is beyond the longest is as good as that.
      add("timeout", .seconds(min(max(timeout, .zero), .seconds(RecordedField.longest))))
      add("command", .string(command.text))
    case .authenticate(let block, let type, let key, let uid):
      add(.authenticate)
      add("block", .integer(block))
      add("keyType", .string(type == .a ? "A" : "B"))
      add("key", .string(key.text))
      add("uid", .bytes(uid))
    case .randomNumber(let count):
      add(.random)
      add("count", .integer(count))
    case .waitForActivation(let uid, let historicalBytes):
      add(.activation)
      add("uid", .bytes(uid))
      add("historicalBytes", .bytes(historicalBytes))
    case .receiveCommand: add(.receive)
    case .answerCommand(let answer):
      add(.answer)
      add("answer", .string(answer.text))
    case .endEmulation: add(.endCard)
    }
    switch outcome {
    case .done, .activated: break
    case .command(let command): add("command", .string(command.text))
    case .released(let release): add("released", .string(release.rawValue))
    case .targets(let targets): add("found", .array(targets.map(\.recorded)))
    case .isPresent(let isPresent): add("present", .bool(isPresent))
    case .capabilities(let capabilities): add("capabilities", capabilities.recorded)
    case .answer(let answer): add("answer", .string(answer.text))
    case .failure(let error): add("error", error.recorded)
    case .cancelled: add("cancelled", .bool(true))
    }
    add("duration", .seconds(duration))
    return JSONValue.object(members).text
  }

  init(_ fields: RecordedField) throws(RecordedField.Problem) {
    guard let name = CallName(rawValue: try fields.text("call")) else {
      throw RecordedField.Problem("there is no call \"\(try fields.text("call"))\"")
    }
    self.init(
      reader: try fields.integer("reader", in: 0...255), time: try fields.seconds("time"),
      duration: try fields.seconds("duration"), request: try Request(name, fields),
      outcome: try Outcome(name, fields))
  }
}

extension RecordedCall.Request {
  private static let longestRandomNumber = 256

  fileprivate init(_ name: CallName, _ fields: RecordedField) throws(RecordedField.Problem) {
    switch name {
    case .reset: self = .resetField
    case .list: self = .list(try fields.technology("technology"))
    case .find:
      var found: [[UInt8]] = []
      for value in try fields.list("besides") {
        guard let bytes = value.string.flatMap({ [UInt8](hexadecimal: $0) }) else {
          throw RecordedField.Problem("\"besides\" is not hexadecimal")
        }
        found.append(bytes)
      }
      self = .find(try fields.technology("technology"), excluding: found)
    case .frame:
      let technology = try fields.technology("technology")
      guard
        let kind = PollingFrame.Technology.allCases.first(where: { $0.tagTechnology == technology }
        ),
        let frame = try? PollingFrame(try fields.bytes("frame"), technology: kind)
      else { throw RecordedField.Problem("\"frame\" is not a polling frame") }
      self = .broadcast(frame)
    case .select: self = .select(try fields.bytes("tag"))
    case .present: self = .isPresent(try fields.bytes("tag"))
    case .limits: self = .capabilities(try fields.bytes("tag"))
    case .exchange:
      let framing = try fields.text("framing")
      guard let framing = Framing.names.first(where: { $0.key == framing })?.value else {
        throw RecordedField.Problem("there is no framing \"\(framing)\"")
      }
      self = .exchange(
        try fields.maskedBytes("command"), framing, timeout: try fields.seconds("timeout"))
    case .authenticate:
      let type = try fields.text("keyType")
      guard type == "A" || type == "B" else {
        throw RecordedField.Problem("\"keyType\" is neither A nor B")
      }
      self = .authenticate(
        block: UInt8(try fields.integer("block", in: 0...255)), type == "A" ? .a : .b,
        key: try fields.maskedBytes("key"), uid: try fields.bytes("uid"))
    case .random:
      self = .randomNumber(count: try fields.integer("count", in: 1...Self.longestRandomNumber))
    case .activation:
      self = .waitForActivation(
        uid: try fields.bytes("uid"), historicalBytes: try fields.bytes("historicalBytes"))
    case .receive: self = .receiveCommand
    case .answer: self = .answerCommand(try fields.maskedBytes("answer"))
    case .endCard: self = .endEmulation
    }
  }
}

extension RecordedCall.Outcome {
  fileprivate init(_ name: CallName, _ fields: RecordedField) throws(RecordedField.Problem) {
    if fields.has("error") {
      self = .failure(try NFCError(recorded: try fields.object("error")))
      return
    }
    if fields.has("cancelled") {
      self = .cancelled
      return
    }
    if fields.has("released") {
      let text = try fields.text("released")
      guard let release = EmulationRelease(rawValue: text) else {
        throw RecordedField.Problem("\"released\" is not a reason")
      }
      self = .released(release)
      return
    }
    switch name {
    case .reset, .select, .authenticate, .answer, .endCard, .frame: self = .done
    case .activation: self = .activated
    case .receive: self = .command(try fields.maskedBytes("command"))
    case .list, .find:
      var targets: [Target] = []
      for value in try fields.list("found") {
        targets.append(try Target(recorded: RecordedField(value)))
      }
      guard name == .list || targets.count < 2 else {
        throw RecordedField.Problem("\"find\" gives one tag at most")
      }
      self = .targets(targets)
    case .present: self = .isPresent(try fields.flag("present"))
    case .limits:
      self = .capabilities(
        try ReaderCapabilities(recorded: try fields.object("capabilities")))
    case .exchange: self = .answer(try fields.maskedBytes("answer"))
    case .random:
      let number = try fields.bytes("answer")
      guard number.count == (try fields.integer("count")) else {
        throw RecordedField.Problem("\"answer\" is not as long as \"count\" says")
      }
      self = .answer(RecordedBytes(number))
    }
  }
}
