/**
 * The script that pays from a browser wallet. It is the body of a function of `texts`, those of `wallet…` in the payer's
 * language, and runs in browsers, so it is text here; `test/page/wallet.test.ts` runs it in one.
 *
 * Every element with `data-pay` (`WalletPayment`) gets a button for each wallet. A wallet is foreign code: it may refuse, fall
 * silent, or say what is not so. What it is asked for is what the page shows at the moment of asking, and whatever went wrong
 * is told in words that say whether something may have been sent. Once a payment was sent, the buttons for that amount stay
 * away, also when the page is loaded again, so that nobody pays twice.
 */
export const WALLET_SCRIPT = `
  'use strict'
  const ANSWER_MS = 20000
  const CONFIRM_MS = 60000
  const RECEIPT_EVERY_MS = 3000
  const RECEIPT_LOOKS = 200
  const NAME_LENGTH_MAX = 32
  const FEE_LIMIT_SUN = 100000000
  const SENT = 'sent ' + location.pathname
  const wallets = []
  const shown = new WeakMap()
  // The box whose payment a wallet was asked for.
  let busy = null

  class Told extends Error {
    constructor(text, values = {}) {
      super(text)
      this.values = values
    }
  }

  const fill = (text, values) => texts[text].replace(/\\{([a-z]+)\\}/g, (_, name) => values[name])
  const sum = (number, coin) => '\\u2068' + number + ' ' + coin + '\\u2069'
  const boxes = () => [...document.querySelectorAll('[data-pay]')]
  const sent = () => { try { return JSON.parse(sessionStorage.getItem(SENT)) } catch { return null } }
  const remember = (value) => { try { sessionStorage.setItem(SENT, JSON.stringify(value)) } catch {} }

  const decimalOf = (raw, decimals) => {
    const digits = String(raw).padStart(decimals + 1, '0')
    const whole = digits.slice(0, digits.length - decimals)
    const rest = digits.slice(digits.length - decimals).replace(/0+$/, '')
    return rest === '' ? whole : whole + '.' + rest
  }
  const numberIn = (hex) => {
    if (typeof hex === 'string' && /^0x[0-9a-f]+$/i.test(hex)) return BigInt(hex)
    return Number.isSafeInteger(hex) ? BigInt(hex) : null
  }

  const say = (box, text, values = {}) => {
    let line = box.querySelector('p')
    if (line === null) {
      line = document.createElement('p')
      line.setAttribute('role', 'status')
      line.tabIndex = -1
      box.append(line)
    }
    line.textContent = fill(text, values)
  }

  const within = (promise, ms) => {
    let timer = 0
    const silence = new Promise((_, reject) => { timer = setTimeout(() => reject(new Told('walletSilent')), ms) })
    return Promise.race([promise, silence]).finally(() => clearTimeout(timer))
  }

  const codeOf = (error) => error?.data?.originalError?.code ?? error?.code
  const isRefusal = (error) => codeOf(error) === 4001 || /declined by user|user (rejected|denied|cancel)/i.test(String(error?.message ?? error))

  // Called when nothing can have been sent.
  const prompt = async (promise) => {
    try {
      return await within(promise, CONFIRM_MS)
    } catch (error) {
      if (error instanceof Told) throw error
      throw isRefusal(error) ? new Told('walletRefused') : error
    }
  }

  // Never given up: what is asked for may be sent as long as the wallet says nothing.
  const confirmed = async (box, promise) => {
    say(box, 'walletConfirm')
    const timer = setTimeout(() => say(box, 'walletStillSilent'), CONFIRM_MS)
    try {
      return await promise
    } catch (error) {
      throw new Told(isRefusal(error) ? 'walletRefused' : 'walletUnsure')
    } finally {
      clearTimeout(timer)
    }
  }

  const assertSame = (box, payment) => {
    const isLate = document.documentElement.classList.contains('ending')
    if (isLate || !box.isConnected || box.dataset.pay !== payment) throw new Told('walletChanged')
  }

  const evm = (provider) => ({
    kind: 'evm',
    async pay(box, text) {
      const ask = (method, ...params) => provider.request({ method, params })
      const read = (method, ...params) => within(ask(method, ...params), ANSWER_MS)
      const payment = JSON.parse(text)
      const { chainId, to, value, data, token, raw, decimals, amount, coin, feeCoin, network } = payment
      const isOnChain = async () => numberIn(await read('eth_chainId')) === BigInt(chainId)
      const [from] = await prompt(ask('eth_requestAccounts'))
      if (!/^0x[0-9a-f]{40}$/i.test(from)) throw new Error('no account')
      if (!(await isOnChain())) {
        await prompt(ask('wallet_switchEthereumChain', { chainId })).catch((error) => {
          if (error instanceof Told) throw error
          throw new Told(codeOf(error) === 4902 ? 'walletUnknownNetwork' : 'walletOtherNetwork', { network })
        })
        if (!(await isOnChain())) throw new Told('walletOtherNetwork', { network })
      }
      const coins = numberIn(await read('eth_getBalance', from, 'latest'))
      const call = { to: token, data: '0x70a08231' + from.slice(2).toLowerCase().padStart(64, '0') }
      const balance = token === null ? coins : numberIn(await read('eth_call', call, 'latest'))
      // There is no such contract on the network that the wallet is really on.
      if (balance === null) throw new Told('walletOtherNetwork', { network })
      if (balance < BigInt(raw)) {
        throw new Told('walletTooLittle', { balance: sum(decimalOf(balance, decimals), coin), amount: sum(amount, coin) })
      }
      if (coins === 0n || (token === null && balance === BigInt(raw))) throw new Told('walletNoFee', { coin: feeCoin })
      if (!(await isOnChain())) throw new Told('walletOtherNetwork', { network })
      assertSame(box, text)
      const hash = await confirmed(box, ask('eth_sendTransaction', { chainId, from, to, value, data }))
      if (!/^0x[0-9a-f]{64}$/i.test(hash)) throw new Told('walletUnsure')
      return hash
    },
    // Null as long as it is in no block; else whether it did what it should.
    async outcome(hash) {
      const receipt = await within(provider.request({ method: 'eth_getTransactionReceipt', params: [hash] }), ANSWER_MS)
      return receipt?.status == null ? null : numberIn(receipt.status) === 1n
    },
  })

  // Its code of a refusal is in its answer; a promise that it rejects may do so with a text.
  const tron = (link) => ({
    kind: 'tron',
    async pay(box, text) {
      const payment = JSON.parse(text)
      const { genesis, chainId, to, token, raw, decimals, amount, coin, network } = payment
      const web = () => link.tronWeb || window.tronWeb
      const read = (promise) => within(promise, ANSWER_MS)
      const isOnChain = async () => (await read(web().trx.getBlock(0)))?.blockID === genesis
      const answer = await prompt(link.request({ method: 'tron_requestAccounts' }))
      if (answer?.code === 4001) throw new Told('walletRefused')
      const from = web()?.defaultAddress?.base58
      if (typeof from !== 'string') throw new Told('walletSilent')
      if (!(await isOnChain())) {
        const chain = { method: 'wallet_switchEthereumChain', params: [{ chainId }] }
        if (typeof window.tron?.request === 'function') {
          await prompt(window.tron.request(chain)).catch((error) => {
            throw error instanceof Told ? error : new Told('walletOtherNetwork', { network })
          })
        }
        if (!(await isOnChain())) throw new Told('walletOtherNetwork', { network })
      }
      const { trx, transactionBuilder } = web()
      const address = (value) => ({ type: 'address', value })
      const balanceOf = async () => {
        const call = await transactionBuilder.triggerConstantContract(token, 'balanceOf(address)', {}, [address(from)], from)
        return numberIn('0x' + call?.constant_result?.[0])
      }
      const balance = token === null ? numberIn(await read(trx.getBalance(from))) : await read(balanceOf())
      if (balance === null) throw new Told('walletOtherNetwork', { network })
      if (balance < BigInt(raw)) {
        throw new Told('walletTooLittle', { balance: sum(decimalOf(balance, decimals), coin), amount: sum(amount, coin) })
      }
      const transfer = [address(to), { type: 'uint256', value: raw }]
      const limit = { feeLimit: FEE_LIMIT_SUN }
      const built = await read(
        token === null
          ? transactionBuilder.sendTrx(to, Number(raw), from)
          : transactionBuilder.triggerSmartContract(token, 'transfer(address,uint256)', limit, transfer, from),
      )
      assertSame(box, text)
      const signed = await confirmed(box, trx.sign(built.transaction ?? built))
      const sent = await confirmed(box, trx.sendRawTransaction(signed))
      if (sent?.result !== true) throw new Told(sent?.code == null ? 'walletUnsure' : 'walletFailed')
      const hash = sent.txid ?? signed.txID
      if (!/^[0-9a-f]{64}$/i.test(hash)) throw new Told('walletUnsure')
      return hash
    },
    async outcome(hash) {
      const info = await within((link.tronWeb || window.tronWeb).trx.getUnconfirmedTransactionInfo(hash), ANSWER_MS)
      if (info?.id == null) return null
      return info.result !== 'FAILED' && (info.receipt?.result ?? 'SUCCESS') === 'SUCCESS'
    },
  })

  const pay = async (wallet, box) => {
    if (busy !== null) return
    const text = box.dataset.pay
    busy = box
    render()
    say(box, 'walletConfirm')
    try {
      const hash = await wallet.pay(box, text)
      const { amount, kind } = JSON.parse(text)
      remember({ amount, hash, kind })
      busy = null
      render()
      watch(wallet, hash)
    } catch (error) {
      busy = null
      render()
      const told = error instanceof Told ? error : new Told('walletFailed')
      for (const shownBox of box.isConnected ? [box] : boxes()) say(shownBox, told.message, told.values)
    }
  }

  const watch = async (wallet, hash) => {
    for (let look = 0; look < RECEIPT_LOOKS; look += 1) {
      await new Promise((resolve) => setTimeout(resolve, RECEIPT_EVERY_MS))
      if (sent()?.hash !== hash || boxes().length === 0) return
      const outcome = await wallet.outcome(hash).catch(() => null)
      if (outcome === true) return
      if (outcome === false) {
        remember(null)
        render()
        for (const box of boxes()) say(box, 'walletReverted')
        return
      }
    }
  }

  const isSentFor = (box) => sent()?.amount === JSON.parse(box.dataset.pay).amount

  // Whatever invites to pay by hand is hidden as long as a payment is on its way. The address stays, for those whose wallet drops it.
  const render = () => {
    document.documentElement.classList.toggle('sent', boxes().some(isSentFor))
    for (const box of boxes()) {
      const payment = JSON.parse(box.dataset.pay)
      const isSent = isSentFor(box)
      const fitting = isSent ? [] : wallets.filter(({ kind }) => kind === payment.kind)
      const state = [box.dataset.pay, isSent, ...fitting.map(({ name }) => name)].join(' ')
      if (shown.get(box) !== state) {
        const hadFocus = box.contains(document.activeElement)
        // What was said of this payment stays when another wallet comes.
        const isSame = busy === box || shown.get(box)?.startsWith(box.dataset.pay + ' ' + isSent)
        const said = isSame ? box.querySelectorAll('p') : []
        box.replaceChildren(...fitting.map((wallet) => buttonOf(wallet, box, payment)), ...said)
        if (isSent) say(box, 'walletSent')
        if (hadFocus) box.firstElementChild?.focus()
        shown.set(box, state)
      }
      for (const button of box.querySelectorAll('button')) button.setAttribute('aria-disabled', String(busy !== null))
    }
  }

  const buttonOf = (wallet, box, { amount, coin }) => {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = fill('walletPay', { amount: sum(amount, coin), wallet: wallet.name })
    button.addEventListener('click', () => pay(wallet, box))
    return button
  }

  const add = (name, wallet) => {
    const added = { name: '\\u2068' + name.slice(0, NAME_LENGTH_MAX).replace(/[\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]/g, '') + '\\u2069', ...wallet }
    wallets.push(added)
    render()
    const last = sent()
    if (last !== null && last.kind === wallet.kind) watch(wallet, last.hash)
    return added
  }

  const known = new Set()
  let nameless = null
  addEventListener('eip6963:announceProvider', ({ detail }) => {
    const { info, provider } = detail ?? {}
    if (typeof provider?.request !== 'function' || known.has(provider)) return
    known.add(provider)
    // It is the one at window.ethereum, which some announce late, and many as another object.
    if (nameless !== null) wallets.splice(wallets.indexOf(nameless), 1)
    nameless = null
    add(typeof info?.name === 'string' && info.name !== '' ? info.name : texts.walletNameless, evm(provider))
  })
  dispatchEvent(new Event('eip6963:requestProvider'))
  // Browsers of wallets on phones announce nothing.
  if (known.size === 0 && typeof window.ethereum?.request === 'function') {
    nameless = add(texts.walletNameless, evm(window.ethereum))
  }
  const addTron = () => {
    if (typeof window.tronLink?.request !== 'function' || known.has(window.tronLink)) return
    known.add(window.tronLink)
    add('TronLink', tron(window.tronLink))
  }
  addTron()
  addEventListener('tronLink#initialized', addTron)
  document.addEventListener('brought', render)
`
  .replace(/\n\s*(\/\/[^\n]*)?(?=\n)/g, '')
  .replace(/\n +/g, '\n')
