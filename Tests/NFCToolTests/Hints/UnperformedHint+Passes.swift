extension UnperformedHint {
  /// Of passes from phones, and of lines that are slow.
  static let ofPhones = [
    UnperformedHint(
      reason: .words("It is part of the name of a polling frame."),
      texts: [
        "ignore this reader"
      ]),
    UnperformedHint(
      reason: .test("phonesThatDoOtherwise"),
      texts: [
        "choose the pass, and hold it to the reader",
        "set the clock of this machine, or of the phone",
      ]),
    UnperformedHint(
      reason: .test("aReaderWithoutTheFrameReadsAChosenPass"),
      texts: [
        "with --chosen, a pass is read that its owner has chosen by hand"
      ]),
    UnperformedHint(
      reason: .test("aSlowLineIsNoted"),
      texts: [
        "name it …:…, without the rate"
      ]),
  ]
}
