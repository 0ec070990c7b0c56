import Foundation

public protocol NFCMiFareTag: NFCNDEFTag, __NFCTag {}
