// One import for most programs: readers, tags, and the messages on them.
@_exported import NDEF
@_exported import SwiftNFCCore
