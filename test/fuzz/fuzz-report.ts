/** What a run of a fuzzer saw. */
export interface FuzzReport {
  readonly name: string
  requests: number
  /** Answers by status. */
  readonly answers: Map<number, number>
}

/** Something that must never happen has happened; the message says what, and how to see it again. */
export class FuzzViolation extends Error {
  override readonly name = 'FuzzViolation'
}

export function newReport(name: string): FuzzReport {
  return { name, requests: 0, answers: new Map() }
}

export function addAnswer(report: FuzzReport, status: number): void {
  report.answers.set(status, (report.answers.get(status) ?? 0) + 1)
}

/** One line: requests, and answers by status. */
export function reportLine({ name, requests, answers }: FuzzReport): string {
  const counts = [...answers].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`)
  return `${name}: ${requests} requests; ${counts.join(', ')}`
}
