/** Hundredths of a percent in a whole. */
const WHOLE = 10_000n

/** Whether what has come is less than the amount, by no more than `underpayment` hundredths of a percent of it. */
export function isNearlyPaid(amount: bigint, came: bigint, underpayment: number): boolean {
  return came < amount && came * WHOLE >= amount * (WHOLE - BigInt(underpayment))
}
