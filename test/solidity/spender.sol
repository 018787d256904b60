// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

interface Mintable {
    function mint(address to, uint256 value) external;
    function transfer(address to, uint256 value) external returns (bool);
}

/// A contract that pays with tokens: already while it is created, and later.
contract Spender {
    constructor(Mintable token, address to, uint256 value) {
        token.mint(address(this), 2 * value);
        token.transfer(to, value);
    }

    function spend(Mintable token, address to, uint256 value) external {
        token.transfer(to, value);
    }
}
