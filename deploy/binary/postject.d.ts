declare module 'postject' {
  /** Writes a resource into an executable, in place. */
  export function inject(
    file: string,
    resource: string,
    data: Buffer,
    options: { readonly sentinelFuse: string },
  ): Promise<void>
}
