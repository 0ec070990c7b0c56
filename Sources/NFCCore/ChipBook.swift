// The records of chips, for everything that imports this module: tags have products and areas of pages.
@_exported import SwiftNFCChipBook
