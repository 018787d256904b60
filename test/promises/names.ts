import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as client from '@billhook/client'
import { describeSettings } from '../../src/config/describe.js'
import { failureMessages } from '../../src/domain/failure.js'
import { endpoints } from '../../src/http/endpoints.js'
import { metricsCatalogue } from '../../src/metrics/catalogue.js'
import { describeCommands } from '../docs/commands.js'
import { projectRoot } from '../support/project-root.js'

const FILE = join(projectRoot, 'test/promises/names.txt')

/** Endpoints of the operator's own commands and of the sandbox, which may change. */
const INTERNAL = / \/(admin|sandbox)(\/|$)/

/** Every name that others may rely on (docs/versioning.md), one line each, sorted. */
export function presentNames(): readonly string[] {
  const settings = describeSettings().flatMap(({ settings }) => settings)
  return [
    ...settings.map(({ environment }) => `setting ${environment}`),
    ...Object.values(metricsCatalogue).map(({ name, type, labelNames }) => `${type} ${name}{${labelNames.join()}}`),
    ...Object.keys(endpoints).flatMap((tag) => (INTERNAL.test(tag) ? [] : [`endpoint ${tag}`])),
    ...Object.keys(failureMessages).map((code) => `error ${code}`),
    ...Object.keys(client).map((name) => `client ${name}`),
    ...Object.getOwnPropertyNames(client.Billhook.prototype).map((name) => `client Billhook.${name}`),
    ...describeCommands().flatMap(({ usage, inputs }) => [
      `command ${usage}`,
      ...inputs.map(({ term }) => `command ${usage}: ${term}`),
    ]),
  ].sort()
}

/** The names that released versions have promised. */
export function promisedNames(): readonly string[] {
  return readFileSync(FILE, 'utf8').trimEnd().split('\n')
}

/** Promises the present names. A name that was promised stays, until it is taken out by hand (docs/versioning.md). */
export function promiseNames(): void {
  const names = new Set([...promisedNames(), ...presentNames()])
  writeFileSync(FILE, `${[...names].sort().join('\n')}\n`)
}
