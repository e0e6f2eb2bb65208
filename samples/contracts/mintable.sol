// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

/// Tokens of ERC-721 that anybody may mint: each mint writes two words and emits one event.
contract Mintable {
    string public name;
    uint256 public immutable supplyMax;
    uint256 public supply;
    mapping(uint256 => address) public ownerOf;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);

    error AlreadyMinted(uint256 tokenId);
    error SoldOut(uint256 supplyMax);

    constructor(string memory name_, uint256 supplyMax_) {
        name = name_;
        supplyMax = supplyMax_;
    }

    function mint(address to, uint256 tokenId) external {
        if (supply == supplyMax) revert SoldOut(supplyMax);
        if (ownerOf[tokenId] != address(0)) revert AlreadyMinted(tokenId);
        supply++;
        ownerOf[tokenId] = to;
        balanceOf[to]++;
        emit Transfer(address(0), to, tokenId);
    }
}
