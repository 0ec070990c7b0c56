extension ChangePlan {
  /// One change of a plan, or one request to the tag.
  ///
  /// A step has a place, an action, contents before and after, or several of these. Passwords and keys are never among
  /// them: such a step ``isSecret``.
  public struct Step: Hashable, Sendable {
    /// The place on the tag; `nil` if the step concerns the tag as a whole.
    public let place: Place?
    /// What is done, if it is not only that one content replaces another: `lock`, `the tag proves the new password`.
    public let action: String?
    /// The content before; `nil` if it is not known, or is secret.
    public let before: Content?
    /// The content afterwards; `nil` for an action without one, and for a secret.
    public let after: Content?
    /// Whether a password or key is written, or presented.
    public let isSecret: Bool
    /// Whether many tags of this kind refuse the step. It then comes first, so that nothing has been changed.
    public let mayBeRefused: Bool

    package init(
      _ place: Place?, _ action: String? = nil, before: Content? = nil, after: Content? = nil,
      isSecret: Bool = false, mayBeRefused: Bool = false
    ) {
      self.place = place
      self.action = action
      self.before = before
      self.after = after
      self.isSecret = isSecret
      self.mayBeRefused = mayBeRefused
    }

    /// Bytes that replace others.
    package static func write(_ place: Place, _ before: [UInt8]?, _ after: [UInt8]) -> Step {
      Step(place, before: before.map { .bytes($0) }, after: .bytes(after))
    }

    /// A password or key that is written.
    package static func secret(_ place: Place?, _ name: String) -> Step {
      Step(place, name, isSecret: true)
    }

    /// A request without contents.
    package static func action(_ text: String, at place: Place? = nil) -> Step {
      Step(place, text)
    }
  }

  /// What is at a place: bytes, or a setting in words.
  public enum Content: Hashable, Sendable {
    /// Bytes of the tag.
    case bytes([UInt8])
    /// A setting, in words.
    case words(String)
  }

  /// A place on a tag, perhaps inside another one: a file in an application.
  public struct Place: Hashable, Sendable {
    /// The kind of place. More may be added.
    @nonexhaustive
    public enum Kind: String, Hashable, Sendable {
      /// A page of an Ultralight or NTAG tag, counted through all sectors.
      case page
      /// A block.
      case block
      /// A sector.
      case sector
      /// A part of the memory with one protection.
      case area
      /// A file of a smart card.
      case file
      /// An application of a smart card.
      case application = "app"
      /// A service of a FeliCa card.
      case service
      /// A key.
      case key
      /// A password.
      case password
      /// A register of the configuration.
      case register
      /// A byte of a file or message, counted from 0.
      case offset
    }

    /// The kind of place.
    public let kind: Kind
    /// Its number, unless it is known by another name.
    public let number: Int?
    /// Its name, for people: the number in digits, or an identifier.
    public let name: String
    /// The places that contain it, the outermost first.
    public let containers: [Place]
    /// Whether the name says the kind itself: `the card's master key`.
    private let isPhrase: Bool

    /// A place with a number.
    package init(_ kind: Kind, _ number: Int, in container: Place? = nil) {
      self.init(kind, number: number, name: String(number), in: container)
    }

    /// A place with another name.
    package init(_ kind: Kind, _ name: String, in container: Place? = nil) {
      self.init(kind, number: nil, name: name, in: container)
    }

    /// A place with a name that says its kind, and what contains it, itself.
    package static func named(
      _ kind: Kind, _ phrase: String, number: Int? = nil, in container: Place? = nil
    ) -> Place {
      Place(kind, number: number, name: phrase, in: container, isPhrase: true)
    }

    private init(
      _ kind: Kind, number: Int?, name: String, in container: Place?, isPhrase: Bool = false
    ) {
      self.kind = kind
      self.number = number
      self.name = name
      self.isPhrase = isPhrase
      containers = container.map { $0.containers + [$0] } ?? []
    }

    package static func page(_ number: Int) -> Place { Place(.page, number) }
    package static func block(_ number: Int) -> Place { Place(.block, number) }
    package static func sector(_ number: Int) -> Place { Place(.sector, number) }
  }

  /// Something that was requested and is not done.
  public struct Omission: Hashable, Sendable {
    /// The reason. More may be added: a `switch` needs an `@unknown default`.
    @nonexhaustive
    public enum Reason: Hashable, Sendable {
      /// It is done only if it is requested by name.
      case notRequested(Request)
      /// UID, manufacturer's block, counters, keys: never written.
      case neverWritten
      /// The tag refused it, or did not store it.
      case refused
      /// The use of the place was observed on such chips, but is not in any data sheet.
      case notConfirmed
      /// None of the keys opens the sector.
      case noKey
      /// The trailer of the card or of the image has broken access bits.
      case brokenAccessBits
      /// No key that was found may write the block.
      case notWritable
      /// No key could change the access bits again, and this was not requested.
      case locksPermanently
      /// The tag refused another part of the NDEF message: the old message stays.
      case keepsMessage
      /// It is never changed, for the reason in words: a counter, an identity, a setting.
      case kept(String)
      /// It is not possible, for the reason in words.
      case impossible(String)
      /// The tag refused it, as the words say; a key may be missing.
      case refusal(String)
    }

    /// What has to be requested by name.
    @nonexhaustive
    public enum Request: String, Hashable, Sendable {
      /// Lock bits, and the lock of the configuration.
      case locks
      /// The capability container, page 3, whose bits can only be set.
      case capabilityContainer
      /// Mirror, protection, registers.
      case configuration
      /// A password and its acknowledge.
      case password
    }

    /// The place.
    public let place: Place
    /// The reason.
    public let reason: Reason

    package init(_ place: Place, _ reason: Reason) {
      self.place = place
      self.reason = reason
    }
  }
}

extension ChangePlan {
  /// Whether everything that was requested is among the steps.
  public var isComplete: Bool { Omission.areHarmless(omissions) }
  /// The places that have another content afterwards, each once, in the order in which they get it. The head of a message
  /// may only be emptied meanwhile.
  public var changedPlaces: [Place] { Step.changedPlaces(steps) }
}

extension ChangePlan.Outcome {
  /// Whether everything that was requested was done.
  public var isComplete: Bool { ChangePlan.Omission.areHarmless(omissions) }
  /// The places that have another content now, each once, in the order in which they got it.
  public var changedPlaces: [ChangePlan.Place] { ChangePlan.Step.changedPlaces(steps) }
}

extension ChangePlan.Omission {
  fileprivate static func areHarmless(_ omissions: [Self]) -> Bool {
    omissions.allSatisfy {
      switch $0.reason {
      case .notRequested, .neverWritten, .notConfirmed, .kept: true
      default: false
      }
    }
  }
}

extension ChangePlan.Step {
  fileprivate static func changedPlaces(_ steps: [Self]) -> [ChangePlan.Place] {
    var places: [ChangePlan.Place] = []
    var first: [ChangePlan.Place: Self] = [:]
    for step in steps {
      guard let place = step.place else { continue }
      places.removeAll { $0 == place }
      let before = first[place, default: step].before
      if first[place] == nil { first[place] = step }
      if before == nil || before != step.after { places.append(place) }
    }
    return places
  }
}

extension ChangePlan.Step: CustomStringConvertible {
  /// One line: `page 41: 040000FF → 04000004`, `page 43: the password, not shown`.
  public var description: String {
    let contents = after.map { after in
      (before.map { "\($0) → " } ?? "") + after.description
    }
    let parts = [place?.description, action, contents].compactMap { $0 }
    // After a place, the action and the contents are one clause.
    let text =
      parts.count == 3 ? "\(parts[0]): \(parts[1]) \(parts[2])" : parts.joined(separator: ": ")
    let secret = after == nil ? ", not shown" : "; the secret itself is not shown"
    return text + (isSecret ? secret : "")
      + (mayBeRefused ? ", which most tags of this kind refuse; nothing is changed then" : "")
  }
}

extension ChangePlan.Content: CustomStringConvertible {
  public var description: String {
    switch self {
    // A line needs a word on both sides of its arrow.
    case .bytes(let bytes): bytes.isEmpty ? "empty" : bytes.hexadecimal
    case .words(let words): words
    }
  }
}

extension ChangePlan.Place: CustomStringConvertible {
  /// The place and what contains it: `page 41`, `file 2 of application F00001`.
  public var description: String {
    guard !isPhrase else { return name }
    return ([self] + containers.reversed())
      .map { $0.isPhrase ? $0.name : "\($0.kind.words) \($0.name)" }.joined(separator: " of ")
  }
}

extension ChangePlan.Place.Kind {
  fileprivate var words: String { self == .application ? "application" : rawValue }
}

extension ChangePlan.Omission: CustomStringConvertible {
  public var description: String { "\(place): left out, \(reason)" }
}

extension ChangePlan.Omission.Reason: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notRequested: "it is written only if it is requested by name"
    case .neverWritten: "it cannot be written"
    case .refused: "the tag has refused it"
    case .notConfirmed: "its use on this chip is not confirmed"
    case .noKey: "no key opens the sector"
    case .brokenAccessBits: "the access bits are broken"
    case .notWritable: "no key that was found may write it"
    case .locksPermanently: "its access bits could never be changed again"
    case .keepsMessage:
      "the old message stays, because the tag has refused a part of the new one"
    case .kept(let words), .impossible(let words), .refusal(let words): words
    }
  }
}
