import { LAST_CALL_MS } from './payment-state.js'

/**
 * The script of the pages. The pages are complete without it; it brings news, says when none can come, copies, remembers the
 * network and the coin, counts down, and writes times in the payer's zone. It runs in browsers, so it is text here, and `test/page/browser.test.ts` runs it in one. It contains no character
 * that ends a `<script>`.
 *
 * News: the server says that something changed (server-sent events), the script asks for the page and brings what is on the
 * screen to the same state, node by node, so that scroll, focus and selection stay. Whatever goes wrong, it asks again,
 * later each time. The style of the page that comes is cut out before it is parsed, because it has a nonce that this page's
 * policy does not know.
 *
 * Wallets: where the browser has one, it loads the script for it (`wallet-program.ts`), which other payers do not pay for.
 */
const PROGRAM = `
(() => {
  'use strict'
  const BEAT_MS = 15000
  const FIRST_WAIT_MS = 1000
  const LONGEST_WAIT_MS = 30000
  const ANSWER_MS = 10000
  const COPIED_MS = 2000
  const LOST_MS = 5000
  const LAST_CALL_MS = ${LAST_CALL_MS}
  const root = document.documentElement
  const { nonce } = document.currentScript
  const main = document.querySelector('main')
  const said = document.getElementById('said')
  const lostNotice = document.getElementById('lost')
  root.classList.add('js')

  let source = null
  let heard = Date.now()
  let wait = FIRST_WAIT_MS
  let waiting = 0
  let deadline = 0
  let asked = 0
  let lostAt = 0

  const missed = (since) => { if (lostAt === 0) lostAt = since }
  const reached = () => {
    lostAt = 0
    showLost()
  }
  const showLost = () => {
    if (lostNotice === null) return
    const isLost = !navigator.onLine || (lostAt !== 0 && Date.now() - lostAt >= LOST_MS)
    if (isLost === lostNotice.hidden) lostNotice.textContent = isLost ? lostNotice.dataset.text : ''
    lostNotice.hidden = !isLost
  }

  const TIME = { numberingSystem: 'latn', year: 'numeric', month: 'long', day: 'numeric', hour: 'numeric', minute: '2-digit', timeZoneName: 'short' }
  const clock = new Intl.DateTimeFormat(root.lang, TIME)
  const intoZone = (page) => {
    for (const time of page.querySelectorAll('time')) time.textContent = clock.format(new Date(time.dateTime))
  }

  const bring = (shown, wanted) => {
    for (const { name } of [...shown.attributes]) {
      if (name !== 'open' && !wanted.hasAttribute(name)) shown.removeAttribute(name)
    }
    for (const { name, value } of wanted.attributes) {
      if (shown.getAttribute(name) !== value) shown.setAttribute(name, value)
    }
    if (shown.hasAttribute('data-pay')) return
    const before = [...shown.childNodes]
    const after = [...wanted.childNodes]
    after.forEach((node, index) => {
      const old = before[index]
      if (old == null) shown.append(node)
      else if (old.nodeName !== node.nodeName) old.replaceWith(node)
      else if (node.nodeType === 1) bring(old, node)
      else if (old.data !== node.data) old.data = node.data
    })
    for (const old of before.slice(after.length)) old.remove()
  }

  const withoutStyle = (html) => html.replace(/\\u003cstyle[^]*?\\u003c\\/style>/, '')

  const fetchPage = async () => {
    const giveUp = new AbortController()
    const timer = setTimeout(() => giveUp.abort(), ANSWER_MS)
    try {
      const answer = await fetch(location.href, { cache: 'no-store', signal: giveUp.signal })
      if (!answer.ok) throw new Error(String(answer.status))
      return new DOMParser().parseFromString(withoutStyle(await answer.text()), 'text/html')
    } finally {
      clearTimeout(timer)
    }
  }

  const update = async () => {
    asked += 1
    const turn = asked
    const page = await fetchPage()
    if (turn !== asked) return
    reached()
    intoZone(page)
    const wanted = page.querySelector('main')
    const hadFocus = document.activeElement !== document.body
    bring(main, wanted)
    document.title = page.title
    if (hadFocus && document.activeElement === document.body) document.getElementById('status').focus()
    setDeadline()
    document.dispatchEvent(new Event('brought'))
  }

  const stop = () => {
    clearTimeout(waiting)
    if (source !== null) source.close()
    source = null
  }

  const lost = async () => {
    stop()
    missed(Date.now())
    waiting = setTimeout(start, wait * (0.5 + Math.random()))
    wait = Math.min(2 * wait, LONGEST_WAIT_MS)
    await update().catch(() => {})
    if (main.dataset.events == null) stop()
  }

  const start = () => {
    stop()
    const { events, version } = main.dataset
    if (events == null) return
    const opened = new EventSource(events + '?after=' + version)
    source = opened
    heard = Date.now()
    const hears = () => {
      heard = Date.now()
      reached()
    }
    opened.onopen = hears
    opened.addEventListener('beat', () => {
      hears()
      wait = FIRST_WAIT_MS
    })
    opened.addEventListener('changed', (event) => {
      hears()
      if (event.data === main.dataset.version) return
      update().then(() => {
        wait = FIRST_WAIT_MS
        if (main.dataset.events == null) stop()
      }, lost)
    })
    opened.onerror = () => {
      missed(Date.now())
      if (opened.readyState === EventSource.CLOSED && opened === source) lost()
    }
  }

  const woken = () => {
    if (source === null || Date.now() - heard <= 2.5 * BEAT_MS) return
    missed(heard)
    start()
  }

  const setDeadline = () => {
    const timer = document.getElementById('timer')
    deadline = timer === null ? 0 : Date.now() + Number(timer.dataset.left)
    tick()
  }
  const tick = () => {
    showLost()
    const timer = document.getElementById('timer')
    const isEnding = timer !== null && (deadline === 0 || deadline - Date.now() <= LAST_CALL_MS)
    root.classList.toggle('ending', isEnding)
    const call = document.getElementById('last-call')
    if (isEnding && call !== null && call.textContent === '') call.textContent = call.dataset.text
    if (timer === null || deadline === 0) return
    const left = Math.ceil((deadline - Date.now()) / 1000)
    const two = (number) => String(number).padStart(2, '0')
    const shown = Math.max(left, 0)
    timer.textContent = Math.floor(shown / 3600) + ':' + two(Math.floor(shown / 60) % 60) + ':' + two(shown % 60)
    timer.parentElement.hidden = left > 86400
    if (left <= 0) {
      deadline = 0
      start()
    }
  }

  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text)
    } catch {
      const area = document.createElement('textarea')
      const focused = document.activeElement
      area.value = text
      document.body.append(area)
      area.select()
      document.execCommand('copy')
      area.remove()
      focused.focus()
    }
  }
  document.addEventListener('click', async (event) => {
    const button = event.target.closest('button[data-copy]')
    if (button === null) return
    await copy(button.dataset.copy)
    const { label, done } = button.dataset
    button.textContent = done
    said.textContent = done
    setTimeout(() => {
      button.textContent = label
      said.textContent = ''
    }, COPIED_MS)
  })

  document.addEventListener('click', (event) => {
    if (event.target.closest('button[data-print]') !== null) print()
  })

  const remember = (what, value) => { try { localStorage.setItem(what, value) } catch {} }
  const remembered = (what) => { try { return localStorage.getItem(what) } catch { return null } }
  document.addEventListener('change', (event) => {
    if (event.target.name === 'network') remember('network', event.target.value)
  })
  const last = [...document.querySelectorAll('input[name=network]')].find(({ value }) => value === remembered('network'))
  if (last != null && last.value !== '') last.checked = true

  document.addEventListener('click', (event) => {
    const link = event.target.closest('a[data-choice]')
    if (link !== null) remember('choice', link.dataset.choice)
  })
  const choices = [...document.querySelectorAll('a[data-choice]')]
  const chosen = choices.find(({ dataset }) => dataset.choice === remembered('choice'))
  if (chosen != null && !chosen.hasAttribute('aria-current') && !/[?&]option=/.test(location.search)) location.replace(chosen.href)

  const retry = async () => {
    const answer = await fetch(location.href, { method: 'HEAD', cache: 'no-store' }).catch(() => null)
    if (answer !== null && answer.ok) location.reload()
    else setTimeout(retry, Number(main.dataset.retry) * 1000)
  }
  if (main.dataset.retry != null) setTimeout(retry, Number(main.dataset.retry) * 1000)

  let hasWallets = false
  const loadWallets = () => {
    if (hasWallets || main.dataset.wallets == null) return
    hasWallets = true
    const script = document.createElement('script')
    script.nonce = nonce
    script.src = main.dataset.wallets
    document.head.append(script)
  }
  const lookForWallets = () => {
    dispatchEvent(new Event('eip6963:requestProvider'))
    if (window.ethereum != null || window.tronLink != null) loadWallets()
  }
  addEventListener('eip6963:announceProvider', loadWallets)
  addEventListener('load', lookForWallets)
  addEventListener('tronLink#initialized', loadWallets)
  lookForWallets()

  intoZone(document)
  setDeadline()
  setInterval(tick, 1000)
  setInterval(woken, 5000)
  for (const name of ['online', 'pageshow', 'visibilitychange']) addEventListener(name, woken)
  addEventListener('pagehide', stop)
  addEventListener('pageshow', (event) => { if (event.persisted) start() })
  start()
})()
`

/** Without the indentation, which a fifth of it is. */
export const SCRIPT = PROGRAM.replace(/\n +/g, '\n')
