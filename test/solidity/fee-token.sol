// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

/// A token that keeps a tenth of each transfer, as far as observers see it. It tells what arrived, unless it lies.
contract FeeToken {
    event Transfer(address indexed from, address indexed to, uint256 value);

    string public symbol = "FEE";
    uint8 public constant decimals = 6;
    address public constant collector = address(0xfee);
    mapping(address => uint256) public balanceOf;
    /// 0: one log for the fee and one for the rest. 1: the fee is burnt without a log. 2: the log tells the whole amount.
    uint256 public immutable way;

    constructor(uint256 way_) {
        way = way_;
        balanceOf[msg.sender] = 1e15;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        uint256 fee = value / 10;
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value - fee;
        if (way == 0) {
            balanceOf[collector] += fee;
            emit Transfer(msg.sender, collector, fee);
        }
        emit Transfer(msg.sender, to, way == 2 ? value : value - fee);
        return true;
    }
}
