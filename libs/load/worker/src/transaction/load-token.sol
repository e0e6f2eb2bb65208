// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// The token that an edge deploys for the kind `erc20_transfer`: the transfers of an ERC-20, with the costs of
/// one. Every account holds the same amount from the start, so that nothing has to be handed out: what is
/// stored is what an account has received less what it has sent, and a balance is that beyond ALLOTMENT.
contract LoadToken {
    string public constant name = "Plexus load token";
    string public constant symbol = "LOAD";
    uint8 public constant decimals = 18;
    uint256 private constant ALLOTMENT = 1 << 128;

    mapping(address => uint256) private moved;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    function totalSupply() external pure returns (uint256) {
        return type(uint256).max;
    }

    function balanceOf(address account) public view returns (uint256) {
        unchecked {
            return ALLOTMENT + moved[account];
        }
    }

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        move(from, to, value);
        return true;
    }

    function move(address from, address to, uint256 value) private {
        require(to != address(0) && balanceOf(from) >= value, "LOAD: no receiver, or too little");
        unchecked {
            moved[from] -= value;
            moved[to] += value;
        }
        emit Transfer(from, to, value);
    }
}
