// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

/// Uses an amount of gas for computations.
contract GasBurner {
    event Burnt(uint256 rounds);

    function burn(uint256 gasAmount) external {
        uint256 end = gasleft() - gasAmount;
        uint256 rounds = 0;
        while (gasleft() > end) rounds++;
        emit Burnt(rounds);
    }
}
