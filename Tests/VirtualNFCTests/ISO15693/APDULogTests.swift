import Testing
import VirtualNFC

@Suite struct APDULogTests {
  @Test(arguments: [
    ("FFB0000704", "FFB0000704"),
    ("FF82000006FFFFFFFFFFFF", "FF82000006" + "************"),
    // SET PASSWORD in a transparent session, and in the pass-through commands.
    (
      "FFC20001115F460458E40000950802B3041011223344" + "00",
      "FFC20001115F460458E40000950802B304" + "************"
    ),
    ("FFFB000007B4040211223344", "FFFB000007B404" + "**********"),
    ("FFFC000007B4040211223344" + "00", "FFFC000007B404" + "************"),
    ("FFF6B30006040111223344" + "00", "FFF6B3000604" + "************"),
    // In a frame that SpringCard's readers send unchanged.
    ("FFFE04000802B3041011223344" + "00", "FFFE04000802B304" + "************"),
    // ST's Present Password.
    ("FFFB00000BB302001122334455667788", "FFFB00000BB302" + "******************"),
    // A write of a block.
    ("FFFB00000621040A0B0C0D", "FFFB00000621040A0B0C0D"), ("FF", "FF"), ("", ""),
  ])
  func masks(command: String, text: String) throws {
    let bytes = try #require([UInt8](hexadecimal: command))
    #expect(APDULog.line(.command(bytes)) == "host  > " + text)
  }

  @Test func answers() {
    #expect(APDULog.line(.reply([0x01, 0x90, 0x00])) == "host  < 019000")
    #expect(APDULog.line(.carrier(true)) == "radio   carrier on")
    #expect(APDULog.line(.collided(bit: 1)) == nil)
  }
}
