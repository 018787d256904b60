/** The part of npm `fs-native-extensions` that Billhook uses; the package ships no types. */
declare module 'fs-native-extensions' {
  /** Takes the kernel's lock on an open file, exclusive unless told otherwise; false when another open file holds it. */
  export function tryLock(fd: number, options?: { readonly shared: boolean }): boolean
  export function unlock(fd: number): void
}
