// Apple's module brings both along; programs that import only CoreNFC count on it.
@_exported import Dispatch
@_exported import Foundation
