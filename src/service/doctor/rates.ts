import { judgeRates, NO_RATES } from '../../domain/rates.js'
import { rateSourceOf, rateTermsOf } from '../rates.js'
import { type Examination, type Finding, failed, ok, skipped, warning } from './examination.js'

const NAME = 'rates'
const MS_PER_SECOND = 1000

/** Reads the source of rates once, and judges what it gives as the service would. Nothing of it is kept. */
export const examineRates: Examination = async (context) => {
  const { settings, clock, running } = context
  if (settings.rates.kind === 'off') return [skipped(NAME, 'BILLHOOK_RATES is off: there is no source to ask.')]
  const source = await rateSourceOf(settings)
  if (source === null)
    return [running === null ? skipped(NAME, 'They are pushed, and no service runs.') : await pushed(context)]
  const read = await source.read()
  const advice = 'Correct the source; docs/rates.md says what a set looks like.'
  if (!read.ok) return [failed(NAME, `The source gave no set: ${read.refusal.detail}.`, advice)]
  const present = running === null ? NO_RATES : await running.store.rates.current()
  const { verdict } = judgeRates(present, read.set, rateTermsOf(settings), clock.now())
  const { at, rates } = read.set
  const currencies = [...new Set(rates.map(({ currency }) => currency))].join(', ')
  const told = `The source gave ${rates.length} rates in ${currencies}, dated ${seconds(clock.now() - at)} ago`
  switch (verdict.kind) {
    case 'refused':
      return [failed(NAME, `${told}, but the set is refused: ${verdict.refusal.detail}.`, advice)]
    case 'repeated':
      return [ok(NAME, `${told}; the service has them.`)]
    case 'accepted':
      if (verdict.held.length === 0) return [ok(NAME, `${told}.`)]
      return [
        warning(
          NAME,
          `${told}; ${verdict.held.length} of them jumped by more than ${settings.ratesJump / 100} %.`,
          'Until another set says so these coins have no rate.',
        ),
      ]
  }
}

/** When what is pushed came last. */
async function pushed({ settings, clock, running }: Parameters<Examination>[0]): Promise<Finding> {
  const { at } = (await running?.store.rates.current()) ?? NO_RATES
  const advice = 'See whether what pushes them runs: POST /internal/rates, signed as gateway pushes are.'
  if (at === null) return failed(NAME, 'They are pushed, and no set has come yet.', advice)
  const ageMs = clock.now() - at
  const told = `They are pushed, and the present set is dated ${seconds(ageMs)} ago`
  const { maxAgeMs } = rateTermsOf(settings)
  return ageMs > maxAgeMs ? failed(NAME, `${told}: too long to be used.`, advice) : ok(NAME, `${told}.`)
}

function seconds(ms: number): string {
  return `${Math.round(ms / MS_PER_SECOND)} s`
}
