import { truncate } from './text.js'

/** How long it is kept what operators did. */
const AUDIT_KEPT_DAYS = 400
export const AUDIT_KEPT_MS = AUDIT_KEPT_DAYS * 24 * 60 * 60 * 1000

/** The most characters of each text of a record. Clients choose some of them. */
export const AUDIT_TEXT_MAX = 200

/** Who acts for the operator, and from where. */
export interface Operator {
  /** A session of the console, or a user of the operating system. */
  readonly who: string
  /** The address of a browser, or the command line with its machine. */
  readonly from: string
}

/** What an operator is about to do. */
export interface AuditedAction extends Operator {
  /** Such as `key.revoke`. */
  readonly action: string
  /** The identity whose affairs it is about; null for none, or many. */
  readonly owner: string | null
  /** What it is done to, such as the id of a key; null when the action says it all. */
  readonly subject: string | null
}

export const AUDIT_OUTCOMES = ['done', 'refused', 'failed'] as const
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number]

/** What came of an action. */
export interface AuditEnd {
  /** Null while it is under way, and for ever when its process died with it. */
  readonly outcome: AuditOutcome | null
  /** Why it was refused or failed, or what it came to. */
  readonly detail: string | null
}

/** The record of an action. It is durable before the action begins, and gets its end afterwards. */
export interface AuditRecord extends AuditedAction, AuditEnd {
  /** 32 hex characters, which begin with the time. */
  readonly id: string
  /** Unix ms. */
  readonly at: number
  /** Unix ms; null without an outcome. */
  readonly endedAt: number | null
}

/** The end of an action that was done and says nothing more. */
export const DONE: AuditEnd = { outcome: 'done', detail: null }

/** The end of an action that found done what it was to do. */
const NOTHING_CHANGED: AuditEnd = { outcome: 'done', detail: 'nothing changed' }

/** The end of an action that was done, now or before. */
export function doneEnd({ isUnchanged }: { readonly isUnchanged?: true | undefined }): AuditEnd {
  return isUnchanged === true ? NOTHING_CHANGED : DONE
}

/** An action whose texts are no longer than a record takes. */
export function boundedAction({ who, from, action, owner, subject }: AuditedAction): AuditedAction {
  return {
    who: bounded(who),
    from: bounded(from),
    action,
    owner: boundedOrNull(owner),
    subject: boundedOrNull(subject),
  }
}

export function boundedEnd({ outcome, detail }: AuditEnd): AuditEnd {
  return { outcome, detail: boundedOrNull(detail) }
}

/** A database stores no NUL, and no half of a surrogate pair. */
function bounded(text: string): string {
  return truncate(text.toWellFormed().replaceAll('\0', '\ufffd'), AUDIT_TEXT_MAX)
}

function boundedOrNull(text: string | null): string | null {
  return text === null ? null : bounded(text)
}
