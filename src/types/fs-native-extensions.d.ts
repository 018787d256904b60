/** The part of npm `fs-native-extensions` that Billhook uses; the package ships no types. */
declare module 'fs-native-extensions' {
  /** Takes the kernel's exclusive lock on an open file; false when another open file holds it. */
  export function tryLock(fd: number): boolean
  export function unlock(fd: number): void
}
