// Apple's module brings both along; programs that import CoreNFC alone count on it.
@_exported import Dispatch
@_exported import Foundation
