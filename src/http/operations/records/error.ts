import { type FailureCode, failureMessages } from '../../../domain/failure.js'
import { oneOf, record, type Schema, text } from '../schema.js'

export const errorRecords = {
  Error: {
    ...record(
      {
        error: text('For people. The text may change.'),
        code: oneOf(
          Object.keys(failureMessages) satisfies string[] as FailureCode[],
          'Stable: branch on it. The chapter "Errors" of the description lists all of them.',
        ),
        field: text('With status 400: the field or parameter to blame; if several are wrong, the first.'),
      },
      ['field'],
    ),
    description: 'Every error of every path has this shape.',
  },
} as const satisfies Readonly<Record<string, Schema>>
