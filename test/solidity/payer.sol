// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

/// Pays ether in the ways in which contracts do, some of which pay nothing in the end.
contract Payer {
    receive() external payable {}

    function pay(address payable to) public payable {
        (bool isSent, ) = to.call{value: msg.value}("");
        require(isSent);
    }

    /// Each gets the same part, one after the other.
    function payEach(address payable[] calldata receivers) external payable {
        uint256 part = msg.value / receivers.length;
        for (uint256 i = 0; i < receivers.length; i++) {
            (bool isSent, ) = receivers[i].call{value: part}("");
            require(isSent);
        }
    }

    function payAndFail(address payable to) external payable {
        this.pay{value: msg.value}(to);
        revert("taken back");
    }

    /// Pays `to` in a call that fails, and then pays `instead`.
    function payInstead(address payable to, address payable instead) external payable {
        try this.payAndFail{value: msg.value}(to) {} catch {}
        (bool isSent, ) = instead.call{value: msg.value}("");
        require(isSent);
    }

    /// The code of `pay`, as if it were this contract's.
    function payByDelegate(address payable to) external payable {
        (bool isDone, ) = address(this).delegatecall(abi.encodeWithSignature("pay(address)", to));
        require(isDone);
    }

    /// Runs the code of `to`, if any, and sends nothing.
    function callCode(address to) external payable {
        assembly {
            pop(callcode(gas(), to, callvalue(), 0, 0, 0, 0))
        }
    }

    /// Pays from within so many calls.
    function payDeep(address payable to, uint256 depth) external payable {
        if (depth == 0) pay(to);
        else this.payDeep{value: msg.value}(to, depth - 1);
    }

    /// A new contract gets the ether at its creation.
    function payNew(uint256 salt) external payable {
        new Mortal{value: msg.value, salt: bytes32(salt)}();
    }

    /// A contract ends, and what it has goes to `to`.
    function payByEnd(address payable to) external payable {
        new Mortal{value: msg.value}().end(to);
    }

    function addressOfNew(uint256 salt) external view returns (address) {
        bytes32 digest = keccak256(
            abi.encodePacked(bytes1(0xff), address(this), bytes32(salt), keccak256(type(Mortal).creationCode))
        );
        return address(uint160(uint256(digest)));
    }
}

contract Mortal {
    constructor() payable {}

    function end(address payable to) external {
        selfdestruct(to);
    }
}
