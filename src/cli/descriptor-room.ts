import { closeSync } from 'node:fs'
import type { Logger } from '../log.js'
import { systemLibrary } from './system-calls.js'

/** `F_DUPFD` of fcntl(2): the lowest free descriptor that is at least as high as is asked. */
const DUPLICATE_AT_LEAST = 0
const STDERR = 2

/**
 * Makes room in the kernel's table for `count` descriptors at once. The table doubles when it is full, and in a process with threads the
 * caller of `accept` sleeps 10 to 30 ms for that (`expand_fdtable` waits for an RCU grace period): a burst of connections stopped
 * the main thread at 256, 512, 1024 and so on. The table never shrinks. Without koffi it grows as before.
 */
export async function makeRoomForDescriptors(count: number, log: Logger): Promise<void> {
  try {
    const { system } = await systemLibrary()
    // Variadic in C, which makes no difference to the registers of Linux, and koffi calls no variadic function in a thread.
    const fcntl = system.func('int fcntl(int fd, int command, int least)')
    const fd = await new Promise<number>((resolve, reject) => {
      // In a thread of koffi's, which sleeps in place of this one.
      fcntl.async(STDERR, DUPLICATE_AT_LEAST, count - 1, (error: Error | null, result: number) => {
        if (error === null) resolve(result)
        else reject(error)
      })
    })
    if (fd >= 0) closeSync(fd)
  } catch (error) {
    log.debug({ err: error }, 'the table of descriptors grows while connections arrive')
  }
}
