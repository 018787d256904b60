import { isDeepStrictEqual } from 'node:util'
import { OperatorError, StartStopped } from '../../operator-error.js'
import type { MovePosition, MoveSource, MoveTarget, Placed } from './ports.js'
import { MOVED_KINDS, type MovedKind, type MovedPayment, type MovedRecords } from './records.js'

/** Who is told how far a move is, and may end it. */
export interface MoveControl {
  at(phase: 'moving' | 'comparing' | 'checking', done: number, total: number): void
  readonly stop: AbortSignal
}

/** A record that is not the same in both stores. */
export interface Difference {
  readonly kind: MovedKind | 'payments'
  /** As the source has it; null when it has none. */
  readonly from: unknown
  /** As the target has it; null when it has none. */
  readonly to: unknown
}

/** The two stores differ: the target is not opened for services. */
class MoveDiffers extends Error {
  override readonly name = 'MoveDiffers'

  constructor(readonly difference: Difference) {
    const { kind, from, to } = difference
    super(`the stores differ in ${kind}: ${shown(from)} became ${shown(to)}`)
  }
}

/** A record with secrets is named without them. */
function shown(record: unknown): string {
  if (record === null) return 'nothing'
  return JSON.stringify(record, (name, value: unknown) => {
    if (typeof value === 'bigint') return String(value)
    return typeof value === 'string' && /secret/i.test(name) ? '…' : value
  })
}

/**
 * Moves all data, or goes on with a move that was cut off; then compares every record and every payment, and checks the target as
 * a whole. Only then services may open it. The source is only read. Answers the number of records.
 */
export async function moveAll(source: MoveSource, target: MoveTarget, control: MoveControl): Promise<number> {
  await source.assertUnserved()
  const total = await source.count()
  let position = await target.begin({ from: source.name, kind: MOVED_KINDS[0], place: null, done: 0 })
  while (position.kind !== null)
    position = await moveKind(source, target, { ...position, kind: position.kind }, control, total)
  const compared = await compare(source, target, control, total)
  await check(target, control)
  // Who served from the source meanwhile has changed what was read.
  await source.assertUnserved()
  await target.finish()
  return compared
}

/** Moves the rest of a kind. Answers the position of the next one. */
async function moveKind(
  source: MoveSource,
  target: MoveTarget,
  from: MovePosition & { readonly kind: MovedKind },
  { at, stop }: MoveControl,
  total: number,
): Promise<MovePosition> {
  let position: MovePosition = from
  for await (const batch of source.read(from.kind, from.place)) {
    assertGoingOn(stop)
    const place = batch.at(-1)?.place ?? position.place
    const next = { ...position, place, done: position.done + batch.length }
    await target.write(
      from.kind,
      batch.map(({ record }) => record),
      next,
    )
    position = next
    // Small kinds are not counted.
    at('moving', position.done, Math.max(position.done, total))
  }
  const kind = MOVED_KINDS[MOVED_KINDS.indexOf(from.kind) + 1] ?? null
  const next = { ...position, kind, place: null }
  if (kind === null) await target.complete(next)
  return next
}

function assertGoingOn(stop: AbortSignal): void {
  if (stop.aborted) throw new StartStopped('the move was stopped; the same command goes on with it')
}

async function compare(
  source: MoveSource,
  target: MoveTarget,
  { at, stop }: MoveControl,
  total: number,
): Promise<number> {
  let compared = 0
  const tell = (count: number) => {
    assertGoingOn(stop)
    compared += count
    at('comparing', compared, Math.max(compared, total))
  }
  for (const kind of MOVED_KINDS) {
    await compareStreams<MovedRecords[MovedKind]>(
      kind,
      records(source.read(kind, null)),
      records(target.read(kind, null)),
      tell,
    )
  }
  const moved = compared
  await compareStreams<MovedPayment>('payments', source.payments(), target.payments(), () => assertGoingOn(stop))
  return moved
}

async function check(target: MoveTarget, { at }: MoveControl): Promise<void> {
  let first: string | null = null
  const steps = target.check(({ table, row, what }) => {
    first ??= `${table}${row === null ? '' : ` ${row}`}: ${what}`
  })
  let step = await steps.next()
  for (; step.done !== true; step = await steps.next()) at('checking', step.value.rows, step.value.total)
  const { violations } = step.value
  if (violations === 0) return
  throw new OperatorError(
    `the moved data has ${violations} violations, as the source may have; the first one: ${first}`,
  )
}

async function* records<T>(batches: AsyncIterable<readonly Placed<T>[]>): AsyncGenerator<readonly T[]> {
  for await (const batch of batches) yield batch.map(({ record }) => record)
}

/** Compares two streams of records in the same order. Their batches may be cut otherwise. */
async function compareStreams<T>(
  kind: Difference['kind'],
  from: AsyncIterable<readonly T[]>,
  to: AsyncIterable<readonly T[]>,
  tell: (count: number) => void,
): Promise<void> {
  const others = single(to)
  for await (const batch of from) {
    for (const one of batch) {
      const { value, done } = await others.next()
      const other = done === true ? null : value
      if (!isDeepStrictEqual(one, other)) throw new MoveDiffers({ kind, from: one, to: other })
    }
    tell(batch.length)
  }
  const { value, done } = await others.next()
  if (done !== true) throw new MoveDiffers({ kind, from: null, to: value })
}

async function* single<T>(batches: AsyncIterable<readonly T[]>): AsyncGenerator<T> {
  for await (const batch of batches) yield* batch
}
