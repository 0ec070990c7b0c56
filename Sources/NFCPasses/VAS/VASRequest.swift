import SwiftNFCCore

/// One request to an iPhone, for programs that decrypt the answer themselves.
package struct VASRequest: Sendable {
  private let command: @Sendable ([UInt8]) -> VASCommand

  package init(isURLOnly: Bool, passType: String, url: String?, isFollowed: Bool) {
    command = { nonce in
      VASCommand(
        mode: isURLOnly ? .urlOnly : .pass, passType: passType, url: url, isFollowed: isFollowed,
        nonce: nonce)
    }
  }

  /// Selects the application for passes; returns whether an iPhone has answered.
  package static func select(over link: TagLink) throws -> Bool {
    let answer = try link.send(.select(aid: WalletSelection.aid))
    return answer.isSuccess && WalletSelection(answer.data)?.wallet == .apple
  }

  /// - Returns: the status word, and the answer if there is one.
  /// - Throws: `NFCError` if the phone has left, or its answer is not one to the request.
  package func send(over link: TagLink) throws -> (word: UInt16, response: VASResponse?) {
    let answer = try link.send(command(link.random(VASCommand.nonceSize)).apdu)
    guard answer.isSuccess, !answer.data.isEmpty else { return (answer.statusWord, nil) }
    return (answer.statusWord, try VASResponse(answer.data))
  }
}
