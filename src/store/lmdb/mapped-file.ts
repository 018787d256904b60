import { readFileSync, realpathSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Bytes of the data file that may lie in this process's memory before they are given back. */
const RESIDENT_MAX_BYTES = 32 * 1024 * 1024
/** Between two looks at how many they are, and at whether the process is idle. */
const LOOK_EVERY_MS = 1000
/** Of one processor, between two looks: a process that takes less is idle. */
const IDLE_PART = 0.05
/** What is given back at once. Pages that were read one by one take up to 2 µs each. */
const SLICE_BYTES = 4 * 1024 * 1024
/** `statm` counts pages of the system; where they are larger than 4 KiB, less is taken to be there than is. */
const PAGE_BYTES = 4096
/** The advice of madvise(2) to take pages out of the process. */
const MADV_DONTNEED = 4
const US_PER_MS = 1000

/** madvise(2) with `MADV_DONTNEED`. */
type TakeOut = (range: MappedRange) => void

/** The text of a file in `/proc/self`. */
type ReadAboutProcess = (name: 'maps' | 'statm') => string

/** Where a file is mapped. */
export interface MappedRange {
  readonly address: bigint
  readonly bytes: number
}

/**
 * Gives the pages of a data file that were read through its map back to the system's file cache, where they count as no
 * process's memory and are found again without reading the disk. Without it a service that was busy once is taken to need as
 * much memory as its database has bytes, for ever. Only an idle process does it: the work takes time, and so does reading the
 * pages in again. Nothing can be lost: LMDB writes to the file, never through the map.
 *
 * On Linux only, and only where the optional package that calls the system is installed.
 */
export class MappedFile {
  private readonly path: string
  /** What else is resident: the program's own files. */
  private restBytes = 0
  private readonly timer: NodeJS.Timeout | undefined
  private takeOut: TakeOut | undefined
  private isStopped = false
  /** When it looked last, and the processor time up to then, in µs. */
  private lookedAt = { atMs: performance.now(), usedUs: usedUs() }

  /** Of a data file that is open in this process. Looks every second from now on, where the system lets it. */
  constructor(
    path: string,
    private readonly read: ReadAboutProcess = readAboutProcess,
  ) {
    this.path = realpathSync(path)
    if (process.platform !== 'linux') return
    try {
      this.restBytes = this.residentFileBytes()
    } catch {
      return
    }
    this.timer = setInterval(() => void this.look(), LOOK_EVERY_MS).unref()
  }

  /** To be called before the file is closed: its addresses may then be somebody else's. */
  stop(): void {
    this.isStopped = true
    clearInterval(this.timer)
  }

  /** Gives back what is there when it is much and nothing else is to do. Never rejects. */
  async look(): Promise<void> {
    if (!this.wasIdle()) return
    try {
      if (this.residentFileBytes() - this.restBytes > RESIDENT_MAX_BYTES) await this.giveBack()
    } catch {
      // Such as without a free file descriptor: it looks again in a second.
    }
  }

  /** Since it was asked last. */
  private wasIdle(): boolean {
    const { lookedAt } = this
    this.lookedAt = { atMs: performance.now(), usedUs: usedUs() }
    const passedUs = (this.lookedAt.atMs - lookedAt.atMs) * US_PER_MS
    return this.lookedAt.usedUs - lookedAt.usedUs < IDLE_PART * passedUs
  }

  /** Gives back what is there. */
  async giveBack(): Promise<void> {
    const takeOut = this.takeOut ?? (await loadTakeOut())
    if (takeOut === null) {
      this.stop()
      return
    }
    this.takeOut = takeOut
    // Read anew each time: the addresses must be those of the file now. The binding ends no map while the file is open.
    for (const slice of sharedRanges(this.read('maps'), this.path).flatMap(slicesOf)) {
      if (this.isStopped) return
      takeOut(slice)
      await nextTurn()
    }
    this.restBytes = this.residentFileBytes()
  }

  /** Bytes of files, those of the program among them, that are in this process's memory. */
  private residentFileBytes(): number {
    const [, , pages] = this.read('statm').split(' ')
    return Number(pages) * PAGE_BYTES
  }
}

/**
 * The ranges at which `/proc/<pid>/maps` has a file mapped to be read, and shared with the file itself: pages of these
 * are taken out without losing anything.
 */
export function sharedRanges(maps: string, path: string): readonly MappedRange[] {
  const ranges: MappedRange[] = []
  for (const line of maps.split('\n')) {
    const [, from, to, name] = /^([0-9a-f]+)-([0-9a-f]+) r--s \S+ \S+ \S+ +(.*)$/.exec(line) ?? []
    if (name !== path) continue
    const address = BigInt(`0x${from}`)
    ranges.push({ address, bytes: Number(BigInt(`0x${to}`) - address) })
  }
  return ranges
}

function slicesOf({ address, bytes }: MappedRange): readonly MappedRange[] {
  return Array.from({ length: Math.ceil(bytes / SLICE_BYTES) }, (_, n) => ({
    address: address + BigInt(n * SLICE_BYTES),
    bytes: Math.min(SLICE_BYTES, bytes - n * SLICE_BYTES),
  }))
}

/** Null where the package is not installed or does not run. */
async function loadTakeOut(): Promise<TakeOut | null> {
  try {
    const { default: koffi } = await import('koffi')
    const madvise = koffi.load(null).func('int madvise(uintptr_t address, size_t bytes, int advice)')
    return ({ address, bytes }) => madvise(address, bytes, MADV_DONTNEED)
  } catch {
    return null
  }
}

/** Processor time of all threads. */
function usedUs(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

function readAboutProcess(name: string): string {
  return readFileSync(`/proc/self/${name}`, 'utf8')
}
