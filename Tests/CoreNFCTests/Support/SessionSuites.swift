import Testing

/// The suites that run sessions. One session runs at a time, and the environment is the process's: they
/// run one after the other.
@Suite(.serialized, .endsItsSessions) struct SessionSuites {}
