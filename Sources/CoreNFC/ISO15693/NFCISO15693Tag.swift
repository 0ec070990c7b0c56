import Foundation

public protocol NFCISO15693Tag: NFCNDEFTag, __NFCTag {}
