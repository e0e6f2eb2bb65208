// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

/// Writes words of the state, and keeps the ether that it gets until its sender takes it back.
contract StorageWriter {
    mapping(uint256 => uint256) public words;
    mapping(address => uint256) public deposits;

    /// Writes `count` words from `first` on.
    function write(uint256 first, uint256 count, uint256 value) external {
        for (uint256 at = first; at < first + count; at++) words[at] = value;
    }

    function deposit() external payable {
        deposits[msg.sender] += msg.value;
    }

    /// Pays everything back: ether that no receipt of a transaction shows.
    function withdraw() external {
        uint256 amount = deposits[msg.sender];
        deposits[msg.sender] = 0;
        (bool isPaid, ) = msg.sender.call{value: amount}("");
        require(isPaid, "not paid");
    }
}
