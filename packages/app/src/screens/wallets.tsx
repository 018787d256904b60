import { walletIdsOf } from '@billhook/client'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { walletsAsCsv } from '../csv/tables.js'
import type { Desk } from '../desk/desk.js'
import { confirmedSums, isTo } from '../events/deposits.js'
import { text } from '../languages/language.js'
import { Copyable } from '../parts/copyable.js'
import { EventLog } from '../parts/event-log.js'
import { Choice, Field, Form, useWork } from '../parts/form.js'
import { Screen } from '../parts/frame.js'
import { Qr } from '../parts/qr.js'
import { SaveCsv } from '../parts/save-csv.js'
import { sumsText } from '../parts/sums-text.js'
import { networkOf } from '../wallets/coins.js'
import { hasChanged, type KnownWallet } from '../wallets/known-wallets.js'
import { freeWallets } from '../wallets/pool.js'
import { POOL_MAX } from '../wallets/pool-keeper.js'

const ALL = 'all'

export function Wallets({ desk }: { readonly desk: Desk }) {
  const [network, setNetwork] = useState(ALL)
  const all = desk.wallets.list.value
  const shown = (all ?? []).filter((wallet) => network === ALL || wallet.network === network)
  const open = desk.invoices.open.value
  const free = new Set(shown.flatMap((one) => freeWallets([one], one.network, open).map(({ id }) => id)))
  return (
    <Screen title={text('walletsTitle')}>
      <GetWallets desk={desk} />
      {all === null && <p>{text('loading')}</p>}
      {all?.length === 0 && <p>{text('noWallets')}</p>}
      {all !== null && all.length > 0 && (
        <Choice
          label={text('walletsTitle')}
          value={network}
          onValue={setNetwork}
          options={[[ALL, text('filterAll')], ...desk.info.networks.map(({ id, name }) => [id, name] as const)]}
        />
      )}
      <ul class="cards">
        {shown.map((wallet) => (
          <li key={wallet.id}>
            <WalletCard desk={desk} wallet={wallet} isFree={free.has(wallet.id)} />
          </li>
        ))}
      </ul>
      <SaveCsv name="wallets" count={shown.length} csv={() => walletsAsCsv(shown, free)} />
    </Screen>
  )
}

function GetWallets({ desk }: { readonly desk: Desk }) {
  const { networks } = desk.info
  const [network, setNetwork] = useState(networks[0]?.id ?? '')
  const [count, setCount] = useState('1')
  const [at, setAt] = useState(0)
  const work = useWork()
  if (!desk.wallets.canGet) return <NoWay desk={desk} network={network} />
  const wanted = Math.max(1, Math.min(POOL_MAX, Math.trunc(Number(count)) || 1))
  const get = async () => {
    try {
      for (let number = 1; number <= wanted; number++) {
        setAt(number)
        await desk.wallets.get(network)
      }
    } finally {
      setAt(0)
    }
  }
  return (
    <>
      <Form work={work} onSubmit={get} submit={text('getWallets')}>
        <Choice
          label={text('fieldNetwork')}
          value={network}
          onValue={setNetwork}
          options={networks.map(({ id, name }) => [id, name])}
        />
        <Field
          label={text('howMany')}
          value={count}
          onValue={setCount}
          input={{ type: 'number', min: 1, max: POOL_MAX, inputMode: 'numeric' }}
        />
        {at > 0 && <p role="status">{text('claiming', { number: at, count: wanted })}</p>}
      </Form>
      <details>
        <summary>{text('poolTitle')}</summary>
        <p class="hint">{text('poolText')}</p>
        {networks.map(({ id, name }) => (
          <Field
            key={id}
            label={text('poolSize', { network: name })}
            value={String(desk.pool.sizes.value[id] ?? 0)}
            onValue={(value) => void desk.pool.set(id, Number(value) || 0)}
            input={{ type: 'number', min: 0, max: POOL_MAX, inputMode: 'numeric' }}
          />
        ))}
      </details>
    </>
  )
}

/** Why this app can get no wallets, and who can. */
function NoWay({ desk, network }: { readonly desk: Desk; readonly network: string }) {
  if (desk.shop.identity === null) return <p>{text('walletsByIdentity')}</p>
  const command = `billhook wallets derive --xpub FILE --network ${network} --owner ${desk.shop.owner} --count 20`
  return (
    <>
      <p>{text('walletsByOperator')}</p>
      <Copyable value={command} label={text('getWallets')} />
    </>
  )
}

interface WalletCardProps {
  readonly desk: Desk
  readonly wallet: KnownWallet
  readonly isFree: boolean
}

function WalletCard({ desk, wallet, isFree }: WalletCardProps) {
  const { id, address, network } = wallet
  const changed = hasChanged(wallet)
  const users = desk.invoices.open.value.filter((invoice) => walletIdsOf(invoice).includes(id))
  return (
    <>
      <p class="network">{networkOf(desk.info, network)?.name ?? network}</p>
      {changed && (
        <p class="failure" role="alert">
          {text('walletChanged')} {text('warnAddress', { now: address ?? '', first: wallet.first ?? '' })}
        </p>
      )}
      {address === null ? <p>{text('walletNoAddress')}</p> : <Copyable value={address} label={text('navWallets')} />}
      {address !== null && !changed && (
        <p>
          {text(isFree ? 'walletFree' : 'walletInUse')}{' '}
          {users.map((invoice) => (
            <a key={invoice.id} href={`#/invoices/${invoice.id}`}>
              <bdi>{invoice.name}</bdi>
            </a>
          ))}
        </p>
      )}
      {address !== null && !changed && (
        <Unfolding name={text('addressCode')}>
          <Qr value={address} label={text('addressCode')} />
        </Unfolding>
      )}
      {address !== null && (
        <Unfolding name={text('timeline')}>
          <EventLog
            desk={desk}
            fits={(event) => isTo(event, network, address)}
            above={(log) => (
              <p>
                {text('received')}: <span class="figure">{sumsText(confirmedSums(log, desk.info))}</span>
              </p>
            )}
          />
        </Unfolding>
      )}
    </>
  )
}

/** What is made when it is unfolded. */
function Unfolding({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  const [isShown, setShown] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setShown(currentTarget.open)}>
      <summary>{name}</summary>
      {isShown && children}
    </details>
  )
}
