import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../support/project-root.js'

/* The examples in the doc comments of the client. */

const SOURCES = join(projectRoot, 'packages/client/src')
/** A doc comment, and the line below it. */
const DOCUMENTED = /^( *)\/\*\*\n((?:\1 \*.*\n)+?)\1 \*\/\n\1(.+)$/gm
const EXAMPLE = /@example\n```js\n([\s\S]*?)```/
const NAME = /^(?:export )?(?:async )?(?:\*)?(?:function |class )?(\w+)/

export interface Example {
  readonly name: string
  readonly program: string
}

export const examples: readonly Example[] = readdirSync(SOURCES).flatMap((file) =>
  [...readFileSync(join(SOURCES, file), 'utf8').matchAll(DOCUMENTED)].flatMap(
    ([, indent = '', comment = '', line = '']) => {
      const text = comment.replaceAll(new RegExp(`^${indent} \\* ?`, 'gm'), '')
      const program = EXAMPLE.exec(text)?.[1]
      const name = NAME.exec(line)?.[1] ?? ''
      return program === undefined ? [] : [{ name: indent === '' ? name : `Billhook.${name}`, program }]
    },
  ),
)

/** What is imported is there already where the examples are run and compiled. */
export function withoutImports(program: string): string {
  return program.replace(/^import .* from '@billhook\/client'$/gm, '')
}
