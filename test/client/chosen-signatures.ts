/** r and s as 64 bytes, and the DER of them, with integers of every kind: long, short, and with the sign bit. */
export const chosenSignatures = [
  ['7f'.padEnd(64, '1'), '80'.padEnd(64, '2')],
  ['ff'.padEnd(64, '3'), '01'.padStart(64, '0')],
  ['80'.padStart(64, '0'), 'ab'.padStart(64, '0')],
  ['00ff'.padEnd(64, '4'), '007f'.padEnd(64, '5')],
].map((integers) => {
  const compact = Buffer.from(integers.join(''), 'hex')
  const content = integers.map(integer).join('')
  const der = Buffer.from(`30${byte(content.length / 2)}${content}`, 'hex')
  return { compact: new Uint8Array(compact), der: new Uint8Array(der) }
})

/** By way of a bigint, as X.690 has it: the shortest form, with a zero before a sign bit. */
function integer(hex: string): string {
  const digits = BigInt(`0x${hex}`).toString(16)
  const even = digits.length % 2 === 0 ? digits : `0${digits}`
  const signed = Number.parseInt(even.slice(0, 2), 16) < 128 ? even : `00${even}`
  return `02${byte(signed.length / 2)}${signed}`
}

function byte(value: number): string {
  return value.toString(16).padStart(2, '0')
}
