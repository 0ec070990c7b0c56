import Foundation

public protocol NFCISO7816Tag: NFCNDEFTag, __NFCTag {}
