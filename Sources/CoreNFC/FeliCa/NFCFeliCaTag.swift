import Foundation

public protocol NFCFeliCaTag: NFCNDEFTag, __NFCTag {}
