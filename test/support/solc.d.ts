/** The part of npm `solc` that the tests use; the package ships no types. */
declare module 'solc' {
  const solc: {
    /** Compiles standard JSON input to standard JSON output. */
    compile(input: string): string
  }
  export default solc
}
