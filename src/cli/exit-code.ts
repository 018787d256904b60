/** The exit codes of the command line, beside those of a process that a signal ends. */
export const EXIT_SUCCESS = 0
/** The command was understood but failed. */
export const EXIT_FAILURE = 1
/** The command line or the environment was refused; nothing was done. */
export const EXIT_USAGE = 2
/** The work was begun, or could not begin, and its end was not reached: the same command can be given again. */
export const EXIT_INCOMPLETE = 3
