/** Does the work that one process of a store does at a time. */
export interface Leader {
  /** This process leads from now on. When it rejects, another process may. */
  begin(): Promise<void>
  /** Another process may lead. Must not reject. */
  end(): Promise<void>
}

/** Which of the processes of a store leads: one at a time. What it may be too late for, the store refuses with `Replaced`. */
export interface LeadershipPort {
  /**
   * Lets this process lead when no other one does, and again whenever the one that did has ended or died. Resolves when this one
   * leads, or waits. Rejects with what `begin` rejects with before this resolves; then, and later, it is tried again after a pause.
   */
  stand(leader: Leader): Promise<void>
  /** Ends the work of the leader, and lets another process lead at once. */
  resign(): Promise<void>
}

/** The leadership of a store that only one process uses. */
export function soleLeadership(): LeadershipPort {
  let leading: Leader | null = null
  return {
    async stand(leader) {
      await leader.begin()
      leading = leader
    },
    async resign() {
      const leader = leading
      leading = null
      await leader?.end()
    },
  }
}
