import { answeredNow, type RunEach } from '../rules/asking.js'
import type { Commit } from './commit/commit.js'
import type { CommitLoop } from './commit/commit-loop.js'

/** Runs rules as units of commits. */
export function eachAlone(commits: CommitLoop): RunEach<Commit> {
  return (rules) => commits.runAll(rules.map((rule) => (commit: Commit) => answeredNow(rule(commit))))
}
