import type { AuditTrail } from '../audit/trail.js'
import { DONE, type Operator } from '../domain/audit.js'
import { failure, type Outcome, succeed } from '../domain/failure.js'
import { addressedAs } from '../http/guards/browsers.js'
import { addressTextReader } from '../http/guards/client-address.js'
import { failureAnswer } from '../http/json.js'
import type { Answer, Request, RequestHead } from '../http/server.js'
import { markup } from '../page/markup.js'
import type { Awaitable } from '../store/reading.js'
import { type Download, downloadAnswer, pageAnswer, seeOther } from './answer.js'
import { isFromElsewhere, isOwnForm } from './browser.js'
import { actionForm, writtenIn } from './forms.js'
import { CONSOLE_PATH, type ConsolePage } from './layout.js'
import { links } from './links.js'
import { PasswordTrials, type TrialParts } from './password-trials.js'
import { isSameSecret, SESSION_SECONDS, type Session, Sessions } from './sessions.js'
import { signInPage } from './sign-in.js'

/** Who may come in. */
export interface EntranceParts extends TrialParts {
  readonly isSandbox: boolean
  /** The names, beside IP addresses and `localhost`, under which browsers reach the console. */
  readonly hosts: readonly string[]
  /** Tells consoles on other ports of the same machine apart, which share their cookies. */
  readonly port: number
  /** Null: anyone who can reach the listener is admitted. */
  readonly password: string | null
  readonly trail: Pick<AuditTrail, 'tell'>
}

/** A request of a browser that may use the console. */
export interface Visit {
  readonly session: Session
  readonly query: URLSearchParams
}

/** Makes a page; null if there is nothing of that name. */
type Show<Params> = (visit: Visit, params: Params) => Awaitable<ConsolePage | null>

/** Does what a form asks for, and tells which page shows it. */
type Act<Params> = (operator: Operator, params: Params, form: URLSearchParams) => Awaitable<Outcome<string>>

type Handle<Params> = (request: Request, params: Params) => Promise<Answer>

const SIGN_OUT = 'sign out'

/**
 * Admits browsers to the console: every handler is behind it. A page of another site gets nothing through the browser of an
 * operator: not under another name (`Host`), not by leading here, and not by sending a form.
 */
export class Entrance {
  private readonly sessions: Sessions
  private readonly trials: PasswordTrials
  private readonly addressOf: (head: RequestHead) => string
  private readonly isNamed: (head: RequestHead) => boolean
  private readonly cookie: string

  constructor(private readonly parts: EntranceParts) {
    this.sessions = new Sessions(parts.clock)
    this.trials = new PasswordTrials(parts)
    this.addressOf = addressTextReader(parts.trustedProxies)
    this.isNamed = addressedAs(parts.hosts)
    this.cookie = `billhook-console-${parts.port}`
  }

  /** A handler that shows a page. */
  shows<Params>(show: Show<Params>): Handle<Params> {
    return this.admits(async (visit, params, headers) => {
      const page = await show(visit, params)
      if (page === null) return failureAnswer(failure('not_found'))
      return pageAnswer(200, this.frame(visit.session), page, headers)
    })
  }

  /** A handler that sends a file. */
  sends<Params>(make: (visit: Visit) => Promise<Download>): Handle<Params> {
    return this.sendsIfRight(async (visit) => succeed(await make(visit)))
  }

  /** The same where what is asked for may be no file. */
  sendsIfRight<Params>(make: (visit: Visit) => Awaitable<Outcome<Download>>): Handle<Params> {
    return this.admits(async (visit, _params, headers) => {
      const made = await make(visit)
      return made.ok ? downloadAnswer(made.value, headers) : failureAnswer(made.failure)
    })
  }

  private admits<Params>(
    answer: (visit: Visit, params: Params, headers: Readonly<Record<string, string>>) => Promise<Answer>,
  ): Handle<Params> {
    return async (request, params) => {
      if (!this.isNamed(request)) return failureAnswer(failure('wrong_host'))
      if (isFromElsewhere(request)) return this.threshold(request)
      const known = this.sessionOf(request)
      if (known === null && this.parts.password !== null) return seeOther(links.signIn)
      const session = known ?? this.sessions.start()
      const visit = { session, query: new URLSearchParams(request.query) }
      return await answer(visit, params, known === null ? this.cookieFor(session) : {})
    }
  }

  /** A handler that does what a form of this console asks for. `name` is what the form calls the action. */
  acts<Params extends { readonly id: string }>(name: string, act: Act<Params>): Handle<Params> {
    return async (request, params) => {
      const form = new URLSearchParams(request.body.toString('utf8'))
      const session = this.senderOf(request, form, `${name} ${params.id}`)
      if (!('id' in session)) return session
      const done = await act(this.operatorOf(session, request), params, form)
      if (done.ok) return seeOther(done.value)
      const written = writtenIn(form)
      if (written === null) return failureAnswer(done.failure)
      const { status, headers } = failureAnswer(done.failure)
      const content = markup`<p>${done.failure.message}</p>
${written}
<p><a href="${request.path.slice(0, request.path.lastIndexOf('/'))}">Back to the form</a></p>`
      return pageAnswer(status, this.frame(session), { title: 'Not done', section: null, content }, headers)
    }
  }

  /** The page that asks for the password. */
  readonly asksPassword: Handle<unknown> = async (request) => {
    if (!this.isNamed(request)) return failureAnswer(failure('wrong_host'))
    if (isFromElsewhere(request)) return this.threshold(request)
    if (this.parts.password === null || this.sessionOf(request) !== null) return seeOther(CONSOLE_PATH)
    return pageAnswer(200, this.frame(null), signInPage(false))
  }

  /** Begins a session for whom knows the password. */
  readonly signsIn: Handle<unknown> = async (request) => {
    const { password } = this.parts
    if (!this.isNamed(request)) return failureAnswer(failure('wrong_host'))
    if (!isOwnForm(request)) return failureAnswer(failure('cross_site'))
    if (password === null) return seeOther(CONSOLE_PATH)
    const refused = await this.trials.take(request)
    if (refused !== null) return failureAnswer(refused)
    const given = new URLSearchParams(request.body.toString('utf8')).get('password') ?? ''
    if (!isSameSecret(given, password)) {
      const stranger = { who: 'unknown', from: this.addressOf(request) }
      this.parts.trail.tell(stranger, 'console.sign-in', { outcome: 'refused', detail: 'wrong password' })
      return pageAnswer(403, this.frame(null), signInPage(true))
    }
    const session = this.sessions.start()
    this.parts.trail.tell(this.operatorOf(session, request), 'console.sign-in', DONE)
    return seeOther(CONSOLE_PATH, this.cookieFor(session))
  }

  readonly signsOut: Handle<unknown> = async (request) => {
    const session = this.senderOf(request, new URLSearchParams(request.body.toString('utf8')), SIGN_OUT)
    if (!('id' in session)) return session
    this.sessions.end(session)
    this.parts.trail.tell(this.operatorOf(session, request), 'console.sign-out', DONE)
    return seeOther(CONSOLE_PATH)
  }

  /** The session that sent a form of its own for `action`; an answer if it did not. */
  private senderOf(request: Request, form: URLSearchParams, action: string): Session | Answer {
    if (!this.isNamed(request)) return failureAnswer(failure('wrong_host'))
    if (!isOwnForm(request)) return failureAnswer(failure('cross_site'))
    const session = this.sessionOf(request)
    if (session !== null && isSameSecret(form.get('token') ?? '', session.token(action))) return session
    const content = markup`<p>This form is of an earlier session. Nothing was done. Open the page again, and send the form from there.</p>
${writtenIn(form)}
<p><a href="${CONSOLE_PATH}">Back to the console</a></p>`
    return pageAnswer(403, this.frame(null), { title: 'Not done', section: null, content })
  }

  private operatorOf({ name }: Session, head: RequestHead): Operator {
    return { who: `console session ${name}`, from: this.addressOf(head) }
  }

  private frame(session: Session | null) {
    const isAsked = this.parts.password !== null && session !== null
    const signOut = isAsked
      ? actionForm({ path: links.signOut, token: session.token(SIGN_OUT), label: 'Sign out' })
      : null
    return { isSandbox: this.parts.isSandbox, signOut }
  }

  /** What a link of another site leads to. From here on the browser is known to be led by its user. */
  private threshold({ path, query }: RequestHead): Answer {
    const here = query === '' ? path : `${path}?${query}`
    const content = markup`<p>A page of another site led here.</p>
<p><a href="${here}">Open the console</a></p>`
    return pageAnswer(200, this.frame(null), { title: 'Console', section: null, content })
  }

  private sessionOf(head: RequestHead): Session | null {
    const cookies = (head.header('cookie') ?? '').split(';').map((cookie) => cookie.trim())
    const own = cookies.find((cookie) => cookie.startsWith(`${this.cookie}=`))
    return own === undefined ? null : this.sessions.find(own.slice(this.cookie.length + 1))
  }

  private cookieFor({ id }: Session): Readonly<Record<string, string>> {
    const attributes = `Path=${CONSOLE_PATH}; Max-Age=${SESSION_SECONDS}; HttpOnly; SameSite=Strict`
    return { 'Set-Cookie': `${this.cookie}=${id}; ${attributes}` }
  }
}
