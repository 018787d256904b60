import { useState } from 'preact/hooks'
import type { Desk } from '../desk/desk.js'
import { text } from '../languages/language.js'
import { Copyable } from '../parts/copyable.js'
import { Choice, Field, Form, useWork } from '../parts/form.js'
import { Screen } from '../parts/frame.js'
import { Qr } from '../parts/qr.js'
import { networkOf } from '../wallets/coins.js'
import { hasChanged, type KnownWallet } from '../wallets/known-wallets.js'
import { freeWallets } from '../wallets/pool.js'
import { POOL_MAX } from '../wallets/pool-keeper.js'

export function Wallets({ desk }: { readonly desk: Desk }) {
  const wallets = desk.wallets.list.value
  return (
    <Screen title={text('walletsTitle')}>
      <GetWallets desk={desk} />
      {wallets === null && <p>{text('loading')}</p>}
      {wallets?.length === 0 && <p>{text('noWallets')}</p>}
      <ul class="cards">
        {wallets?.map((wallet) => (
          <li key={wallet.id}>
            <WalletCard desk={desk} wallet={wallet} />
          </li>
        ))}
      </ul>
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

function WalletCard({ desk, wallet }: { readonly desk: Desk; readonly wallet: KnownWallet }) {
  const [isShown, setShown] = useState(false)
  const { address, network } = wallet
  const isFree = freeWallets([wallet], network, desk.invoices.open.value).length > 0
  const changed = hasChanged(wallet)
  return (
    <>
      <p class="network">{networkOf(desk.info, network)?.name ?? network}</p>
      {changed && (
        <p class="failure" role="alert">
          {text('walletChanged')} {text('warnAddress', { now: address ?? '', first: wallet.first ?? '' })}
        </p>
      )}
      {address === null ? <p>{text('walletNoAddress')}</p> : <Copyable value={address} label={text('navWallets')} />}
      {address !== null && !changed && <p>{text(isFree ? 'walletFree' : 'walletInUse')}</p>}
      {address !== null && !changed && (
        <details onToggle={({ currentTarget }) => setShown(currentTarget.open)}>
          <summary>{text('addressCode')}</summary>
          {isShown && <Qr value={address} label={text('addressCode')} />}
        </details>
      )}
    </>
  )
}
