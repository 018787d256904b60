// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

/// A token for tests: ERC-20 as far as observers see it, and what contracts do besides. Anybody may mint.
contract Token {
    event Transfer(address indexed from, address indexed to, uint256 value);

    string public symbol = "USDT";
    uint8 public immutable decimals;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    constructor(uint8 decimals_) {
        decimals = decimals_;
    }

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function approve(address spender, uint256 value) external {
        allowance[msg.sender][spender] = value;
    }

    function transfer(address to, uint256 value) public returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        move(from, to, value);
        return true;
    }

    /// Two transfers in one transaction.
    function transferBoth(address first, uint256 firstValue, address second, uint256 secondValue) external {
        transfer(first, firstValue);
        transfer(second, secondValue);
    }

    /// As many transfers as addresses, each of the same value.
    function transferToMany(address[] calldata receivers, uint256 value) external {
        for (uint256 i = 0; i < receivers.length; i++) transfer(receivers[i], value);
    }

    /// A transfer, told by an event, that is taken back by the end of the transaction.
    function transferAndFail(address to, uint256 value) external {
        transfer(to, value);
        revert("taken back");
    }

    /// Ether sent by a contract, and a transfer that a payable transaction makes besides its own value.
    function forward(address payable to, uint256 value) external payable {
        (bool isSent, ) = to.call{value: msg.value}("");
        require(isSent);
        if (value > 0) transfer(to, value);
    }

    /// Logs that look like transfers: with a fourth topic, with more than an address as receiver, with other data.
    function misleadingLogs(address to, uint256 value) external {
        bytes32 topic = keccak256("Transfer(address,address,uint256)");
        assembly {
            mstore(0, value)
            log4(0, 32, topic, caller(), to, value)
            log3(0, 32, topic, caller(), or(to, shl(160, 1)))
            log3(0, 0, topic, caller(), to)
            log3(0, 31, topic, caller(), to)
            log1(0, 32, topic)
        }
    }

    receive() external payable {}

    function move(address from, address to, uint256 value) private {
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}
