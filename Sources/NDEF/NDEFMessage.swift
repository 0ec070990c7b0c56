/// An NDEF message.
public struct NDEFMessage: Hashable, Sendable {}
