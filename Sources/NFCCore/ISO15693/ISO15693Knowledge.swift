/// The facts that were learned about a vicinity tag; valid as long as it is the same tag.
struct ISO15693Knowledge: Hashable, Sendable {
  typealias WideNumbers = ISO15693Chip.WideNumbers

  /// Most significant byte first; `nil` if commands are for whichever tag hears them.
  let uid: [UInt8]?
  /// The chip as the UID names it.
  let product: ISO15693Chip?

  /// The tag's own report. Its AFI and DSFID are those of that moment: another program or the
  /// chip's wired interface may have written them since.
  var information: ISO15693SystemInformation?
  /// The form in which it has reported everything about itself.
  var informationForm: ISO15693SystemInformation.Form?
  /// As it was reported or written last.
  var dsfid: UInt8?
  /// Whether it does not report information: asking again would only take time.
  var refusesInformation = false
  /// The size of a block, found out from the tag: from its system information or the length of a
  /// block.
  var blockSize: Int?
  /// The first number that the tag does not have, as it has reported.
  var blockCount: Int?
  /// The most blocks that a read of several has been granted; 1: none is.
  var readLimit: Int?
  /// Whether the tag has no command for the security status: reads with the option flag return it.
  var refusesSecurityStatus = false
  /// The most blocks in a write of several; 1: none is known to be granted.
  var writeLimit: Int
  /// Whether writes and locks need the option flag; `nil` as long as none has succeeded.
  var needsWriteOption: Bool?
  var wideNumbers: WideNumbers?

  /// - Parameter uid: 8 bytes, most significant first.
  init(uid: [UInt8]?) {
    self.uid = uid
    product = uid.flatMap { ISO15693Chip(uid: $0) }
    let traits = product?.traits
    readLimit = traits?.readLimit
    writeLimit = traits?.writeLimit ?? 1
    wideNumbers = traits?.wideNumbers
    if traits?.needsWriteOption == true { needsWriteOption = true }
    // Every Tag-it requires it (Texas Instruments, SCBU011).
    if maker == ChipMaker.texasInstruments { needsWriteOption = true }
    // An ICODE SLI-S refuses it (SL2 ICS53/ICS54 data sheet rev. 3.0, 8.1.2.2), whatever a container
    // that was copied to it announces.
    if maker == ChipMaker.nxp { needsWriteOption = false }
  }

  /// The maker's code in the UID.
  var maker: UInt8? { uid.flatMap { ISO15693Chip.manufacturerCode(uid: $0) } }

  /// The size of a block as the tag has shown it, or as its kind has it.
  var likelyBlockSize: Int? { blockSize ?? product?.geometry?.blockSize }
  /// The number of blocks as the tag has reported it, or as its kind has it.
  var likelyBlockCount: Int? { blockCount ?? product?.geometry?.blockCount }

  /// The block that counts what is written to it; `nil` if there is none.
  var counterBlock: Int? { product?.counterBlock(blockCount: likelyBlockCount) }

  /// Forgets the information after a program's own command, which may have changed it. Nothing is
  /// forgotten about the memory, which no command changes.
  mutating func discardInformation(after command: ISO15693Command? = nil) {
    switch command {
    case .writeAFI(let value): information?.afi = value
    case .writeDSFID(let value):
      information?.dsfid = value
      dsfid = value
    case .custom, .other, .keyUpdate, nil: information = nil
    default: break
    }
  }

  /// Updates the facts from the tag's report.
  mutating func learn(_ information: ISO15693SystemInformation) {
    self.information = information
    dsfid = information.dsfid ?? dsfid
    blockSize = information.blockSize ?? blockSize
    blockCount = information.blockCount ?? blockCount
    if let blockCount, let limit = product?.member(blockCount: blockCount)?.traits.readLimit {
      readLimit = min(readLimit ?? limit, limit)
    }
    if let list = information.commandList {
      if list.contains(ISO15693CommandCode.readMultipleBlocks) == false { readLimit = 1 }
      if list.contains(ISO15693CommandCode.extendedReadSingleBlock) == true {
        wideNumbers = wideNumbers ?? .extendedCommands
      }
    }
  }
}
