// A program on one of Apple's platforms that depends on the product CoreNFC gets Apple's framework.
#if canImport(CoreNFC)
@_exported import CoreNFC
#endif
