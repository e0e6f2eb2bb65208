// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

/// A constant-product market of two units, a and b, with a fee of 0.3 % as in Uniswap v2. All calls change the same two
/// words. Each account begins with a credit of both units, so that it needs no deposit.
contract SwapPool {
    uint256 public constant CREDIT = 1e24;

    address public immutable quote;
    uint256 public reserveA;
    uint256 public reserveB;
    mapping(address => bool) public isKnown;
    mapping(address => uint256) public unitsA;
    mapping(address => uint256) public unitsB;

    event Swap(address indexed account, bool isBuy, uint256 given, uint256 received);

    error TooLittle(uint256 received, uint256 least);
    error NotEnoughUnits(uint256 held, uint256 given);

    /// `quote_` is only shown: it names the token that `b` stands for.
    constructor(uint256 reserveA_, uint256 reserveB_, address quote_) {
        require(reserveA_ > 0 && reserveB_ > 0, "reserves must not be empty");
        reserveA = reserveA_;
        reserveB = reserveB_;
        quote = quote_;
    }

    /// Gives `given` units of a for b, or with `isBuy` of b for a. Returns the received units.
    function swap(bool isBuy, uint256 given, uint256 least) external returns (uint256 received) {
        if (!isKnown[msg.sender]) {
            isKnown[msg.sender] = true;
            unitsA[msg.sender] = CREDIT;
            unitsB[msg.sender] = CREDIT;
        }
        uint256 held = isBuy ? unitsB[msg.sender] : unitsA[msg.sender];
        if (held < given) revert NotEnoughUnits(held, given);
        (uint256 from, uint256 to) = isBuy ? (reserveB, reserveA) : (reserveA, reserveB);
        uint256 counted = given * 997;
        received = (counted * to) / (from * 1000 + counted);
        if (received < least) revert TooLittle(received, least);
        if (isBuy) {
            (reserveB, reserveA) = (from + given, to - received);
            unitsB[msg.sender] -= given;
            unitsA[msg.sender] += received;
        } else {
            (reserveA, reserveB) = (from + given, to - received);
            unitsA[msg.sender] -= given;
            unitsB[msg.sender] += received;
        }
        emit Swap(msg.sender, isBuy, given, received);
    }

    /// Adds liquidity in both units; returns the new reserves.
    function deposit(uint256 a, uint256 b) external returns (uint256, uint256) {
        reserveA += a;
        reserveB += b;
        return (reserveA, reserveB);
    }
}
